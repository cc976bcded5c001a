// Made of the API document by `npm run sdk:types`: do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the addresses of this server */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @example https://waybill.example/api/v1 */
                            api: string;
                            /** @example https://waybill.example/console/ */
                            console: string;
                            /** @example https://waybill.example/docs */
                            docs: string;
                            /** @example https://waybill.example/healthz */
                            health: string;
                            /** @constant */
                            name: "Waybill";
                            /** @example https://waybill.example/openapi.json */
                            openapi: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the public keys that verify access tokens (RFC 7517) */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @example [
                             *       {
                             *         "kty": "OKP",
                             *         "crv": "Ed25519",
                             *         "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                             *         "kid": "2026-11"
                             *       }
                             *     ]
                             */
                            keys: {
                                [key: string]: unknown;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the metadata of this authorization server (RFC 8414) */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @example https://api.example.com/oauth/authorize */
                            authorization_endpoint: string;
                            /** @example true */
                            authorization_response_iss_parameter_supported: boolean;
                            /**
                             * @example [
                             *       "S256"
                             *     ]
                             */
                            code_challenge_methods_supported: string[];
                            /**
                             * @example [
                             *       "authorization_code",
                             *       "refresh_token"
                             *     ]
                             */
                            grant_types_supported: string[];
                            /**
                             * @description Also the `iss` of redirects (RFC 9207).
                             * @example https://api.example.com
                             */
                            issuer: string;
                            /**
                             * @example [
                             *       "query"
                             *     ]
                             */
                            response_modes_supported: string[];
                            /**
                             * @example [
                             *       "code"
                             *     ]
                             */
                            response_types_supported: string[];
                            /** @example https://api.example.com/oauth/revoke */
                            revocation_endpoint: string;
                            /**
                             * @example [
                             *       "client_secret_basic",
                             *       "client_secret_post"
                             *     ]
                             */
                            revocation_endpoint_auth_methods_supported: string[];
                            /**
                             * @example [
                             *       "products.read",
                             *       "appdata.write"
                             *     ]
                             */
                            scopes_supported: string[];
                            /** @example https://api.example.com/docs */
                            service_documentation: string;
                            /** @example https://api.example.com/oauth/token */
                            token_endpoint: string;
                            /**
                             * @example [
                             *       "client_secret_basic",
                             *       "client_secret_post"
                             *     ]
                             */
                            token_endpoint_auth_methods_supported: string[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the apps that can be installed */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the app’s name, the organisation’s name or the description. */
                    q?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apps: components["schemas"]["ListedApp"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an app's description and requested scopes, before its installation */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["AppProfile"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a password-reset link by mail */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The six digits shown by the authenticator, or a recovery code. Each works once. */
                        code?: string;
                        email: string;
                        password: string;
                        /**
                         * @description For browser apps: the refresh token is set in an `HttpOnly` cookie, which `refresh` and `logout` read, instead of in the body. Only for pages of the same origin; the session of an existing cookie ends.
                         * @enum {string}
                         */
                        session?: "cookie";
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a code created for a program */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                        /** @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk */
                        codeVerifier: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a session */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @description If omitted, the cookie is used, only for pages of the same origin. */
                        refreshToken?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change your password */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        current: string;
                        password: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange a refresh token for new tokens */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @description If omitted, the cookie is used, only for pages of the same origin. */
                        refreshToken?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a user account */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                        name: string;
                        password: string;
                        /**
                         * @description For browser apps: the refresh token is set in an `HttpOnly` cookie, which `refresh` and `logout` read, instead of in the body. Only for pages of the same origin; the session of an existing cookie ends.
                         * @enum {string}
                         */
                        session?: "cookie";
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set a password with the token of a link */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                        token: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send another verification link to your e-mail address */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify an e-mail address with the token of its link */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the demo accounts, for the sign-in page on a developer’s machine */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            accounts: {
                                email: string;
                                /** @example Demo Merchant */
                                name: string;
                                password: string;
                                /** @enum {string} */
                                role: "merchant" | "reviewer" | "developer";
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invitation to a store or an organisation, with the token of its link */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            role: "viewer" | "editor" | "admin" | "owner";
                            store: components["schemas"]["Store"];
                        } | {
                            org: {
                                id: string;
                                name: string;
                            };
                            /** @description `owner` or `developer`. */
                            role: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the signed-in user and their memberships */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Whether there are more; `GET /api/orgs` lists all. */
                            hasMoreOrgs: boolean;
                            /** @description Whether there are more; `GET /api/stores` lists all. */
                            hasMoreStores: boolean;
                            /** @description Whether you are a reviewer of apps. */
                            isReviewer: boolean;
                            /** @description The first 100 organisations, by ID, where you are a member. */
                            orgs: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "owner" | "developer";
                            }[];
                            /** @description The first 100 stores, by ID, where you are a member; IDs sort by creation time. */
                            stores: {
                                id: string;
                                /** @description Whether the store belongs to an app developer’s organisation, and can install unreviewed versions. */
                                isDevelopment: boolean;
                                name: string;
                                /**
                                 * @description The caller's role.
                                 * @enum {string}
                                 */
                                role: "viewer" | "editor" | "admin" | "owner";
                                /** @description Unique among all stores. */
                                slug: string;
                            }[];
                            /** @description The fields that could not be read this time, and are empty. */
                            unavailable?: "orgs"[];
                            user: components["schemas"]["User"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete your account */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The six digits shown by the authenticator, or a recovery code. Each works once. */
                        code?: string;
                        password: string;
                    };
                };
            };
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change your name, or the language of your mails */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        locale?: "en" | "de";
                        name?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/me/login-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a sign-in code for a program on your computer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM */
                        codeChallenge: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            code: string;
                            /**
                             * Format: date-time
                             * @example 2026-11-20T10:00:00.000Z
                             */
                            expiresAt: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which mails you get from a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Only for this store. */
                    storeId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            notifications: components["schemas"]["Notification"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Choose which mails you get from a store */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NotificationInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            notification: components["schemas"]["Notification"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List where you are signed in */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            sessions: components["schemas"]["Session"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Sign out everywhere */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sign-ins */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            signIns: components["schemas"]["SignIn"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a secret for an authenticator app */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Base32; 160 bits. */
                            secret: string;
                            /**
                             * @description The secret as a URI, for a QR code.
                             * @example otpauth://totp/…
                             */
                            uri: string;
                        };
                    };
                };
            };
        };
        /** Turn off two-factor authentication */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The six digits shown by the authenticator, or a recovery code. Each works once. */
                        code: string;
                    };
                };
            };
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn on two-factor authentication with a code of its secret */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            recoveryCodes: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the organisations that you are a member of */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            orgs: components["schemas"]["Org"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create an organisation, with you as its owner */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org: components["schemas"]["Org"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organisation */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            org: components["schemas"]["Org"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete an empty organisation */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an organisation's apps, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apps: components["schemas"]["App"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create an app */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        redirectUris?: string[];
                        /** @description The URL called when the app is installed, updated, disabled, enabled or uninstalled: http or https, without credentials, at most 2,048 characters. Also requires a `webhook-secret`. */
                        webhookUrl?: string | null;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                            /** @description Shown only once: only its SHA-256 is stored. */
                            clientSecret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an app */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete an app that no store has installed */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change an app and its directory entry */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        description?: string;
                        /** @description The page where the app itself starts an install. An https URL, or an http URL on loopback. */
                        installUrl?: string | null;
                        /** @description Whether the directory lists the app while one of its versions is approved. */
                        isListed?: boolean;
                        name?: string;
                        /** @description The app’s privacy policy. An https URL, or an http URL on loopback. */
                        privacyUrl?: string | null;
                        redirectUris?: string[];
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        supportEmail?: string | null;
                        /** @description The URL called when the app is installed, updated, disabled, enabled or uninstalled: http or https, without credentials, at most 2,048 characters. Also requires a `webhook-secret`. */
                        webhookUrl?: string | null;
                        /** @description The app’s website. An https URL, or an http URL on loopback. */
                        website?: string | null;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/client-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the client secret */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                            /** @description Shown only once: only its SHA-256 is stored. */
                            clientSecret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the calls of an app about its installs, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Values other than event IDs are ignored. */
                    eventId?: string;
                    eventType?: "app.installed" | "app.updated" | "app.disabled" | "app.enabled" | "app.uninstalled" | "payment.sessionRequested" | "payment.captureRequested" | "payment.refundRequested" | "payment.voidRequested";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    status?: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deliveries: components["schemas"]["AppDelivery"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a call of an app with the log of its attempts */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: {
                                /** @description The number of the latest attempt; 1 before the first has ended. */
                                attempt: number;
                                /** @description Oldest first; beyond 50 attempts, the newest 50. */
                                attempts: components["schemas"]["WebhookAttempt"][];
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                createdAt: string;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                deliveredAt: string | null;
                                endpointId: string;
                                eventId: string;
                                /** @enum {string} */
                                eventType: "app.installed" | "app.updated" | "app.disabled" | "app.enabled" | "app.uninstalled" | "payment.sessionRequested" | "payment.captureRequested" | "payment.refundRequested" | "payment.voidRequested";
                                id: string;
                                /** @description Whether it was requested as a test. */
                                isTest: boolean;
                                /** @description Empty if there is none. */
                                lastError: string;
                                lastStatusCode: number | null;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                nextAttemptAt: string | null;
                                /** @description The request of the latest attempt; null before it, and for readers without permission for the event. */
                                request: {
                                    /**
                                     * @description The first 64 KiB of the body.
                                     * @example {"id":"evt_…","type":"product.created"}
                                     */
                                    body: string;
                                    /** @example https://example.com/webhooks */
                                    url: string;
                                } | null;
                                /** @enum {string} */
                                status: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a call of an app now */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: components["schemas"]["AppDelivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/icon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set an app's icon */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "image/png": string;
                    "image/webp": string;
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete an app's icon */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/installs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the installs of an app, newest first, including uninstalled ones */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    state?: "installed" | "disabled" | "suspended" | "uninstalled";
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            installs: components["schemas"]["AppInstall"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an app's versions, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                            versions: components["schemas"]["AppVersion"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a draft version, empty or as a copy of another version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The origins that its islands may connect to, besides the page's own: for example `https://api.example.com`. A draft may include `http` origins on loopback, which submit rejects. */
                        connectOrigins?: string[];
                        /** @description The ID of a version of the same app, in any state. */
                        from?: string;
                        payments?: {
                            /** @example Example Pay */
                            name: string;
                        } | null;
                        /** @description The permissions it requests from merchants. Required without `from`. */
                        scopes?: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version with its blocks and islands */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersionDetails"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a draft */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace the blocks of a draft */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        blocks: components["schemas"]["Block"][];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blocks: components["schemas"]["Block"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Declare the islands of a draft */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        islands: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            islands: components["schemas"]["Island"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands/module": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an island's module, whatever the version's state */
        get: {
            parameters: {
                query: {
                    /** @description The name of a declared island. */
                    name: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        /** Upload an island's module */
        post: {
            parameters: {
                query: {
                    /** @description The name of a declared island. */
                    name: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "text/javascript": string;
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            island: components["schemas"]["Island"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn a submitted version back into a draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit a draft for review */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraw an approved version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        /** Restore a withdrawn version */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the app version. */
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/apps/{appId}/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create or rotate the signing secret of the app's webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @description 24 by default; with 0 the old secret ends at once. */
                        overlapHours?: number;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                            /** @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD */
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an organisation's audit entries, newest first */
        get: {
            parameters: {
                query?: {
                    action?: "apiKey.created" | "apiKey.revoked" | "member.added" | "member.roleChanged" | "member.removed" | "invitation.created" | "invitation.accepted" | "invitation.withdrawn" | "store.created" | "store.updated" | "store.closed" | "domain.added" | "domain.activated" | "domain.deactivated" | "domain.removed" | "organisation.created" | "organisation.deleted" | "app.created" | "app.updated" | "app.secretReplaced" | "app.webhookSecretIssued" | "app.suspended" | "app.restored" | "app.deleted" | "app.installed" | "app.authorized" | "app.consented" | "app.rolledBack" | "app.disabled" | "app.enabled" | "app.uninstalled" | "appVersion.submitted" | "appVersion.recalled" | "appVersion.approved" | "appVersion.rejected" | "appVersion.withdrawn" | "appVersion.restored" | "appVersion.deleted" | "paymentMethod.created" | "paymentMethod.updated" | "paymentMethod.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secretRotated" | "webhook.rotationFinished" | "webhook.replayStarted" | "page.published" | "page.unpublished" | "page.deleted" | "section.published" | "template.published" | "template.deleted" | "theme.published" | "article.published" | "article.unpublished" | "article.deleted" | "order.statusChanged" | "order.cancelled" | "order.paymentChanged" | "order.fulfillmentChanged" | "order.paymentUrlChanged" | "payment.recorded" | "payment.captured" | "payment.voided" | "fulfillment.created" | "fulfillment.updated" | "refund.created" | "return.created" | "return.updated" | "customer.erased" | "customField.created" | "customField.updated" | "customField.deleted" | "discount.created" | "discount.updated" | "discount.deleted" | "discount.codesCreated" | "discount.codeWithdrawn" | "taxes.updated" | "shipping.updated" | "documents.updated" | "document.issued" | "note.deleted" | "mailTemplate.updated" | "mailTemplate.reset" | "mailSettings.updated" | "media.purged";
                    /** @description The ID of a user, an API key or an app; or `system`. Empty: any actor. */
                    actor?: string;
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description Actions at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    /** @description Actions before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            entries: components["schemas"]["AuditEntry"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an organisation's open invitations */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitations: components["schemas"]["OrgInvitation"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Invite somebody to an organisation by mail */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                        /** @enum {string} */
                        role: "owner" | "developer";
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["OrgInvitation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an open invitation to an organisation */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the invitation. */
                    invitationId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["OrgInvitation"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Withdraw an invitation */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the invitation. */
                    invitationId: string;
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an organisation's members */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            members: components["schemas"]["OrgMember"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Invite a person to an organisation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                        /** @enum {string} */
                        role: "owner" | "developer";
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["OrgInvitation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a member of an organisation */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["OrgMember"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Remove a member, or leave an organisation */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a member's role */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Owners can also manage members; both roles can do everything else.
                         * @enum {string}
                         */
                        role: "owner" | "developer";
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["OrgMember"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/orgs/{orgId}/stores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an organisation's development stores */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            stores: components["schemas"]["DevelopmentStore"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a development store for an organisation's apps, with you as its owner */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            store: components["schemas"]["Store"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/stores/{storeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Close a development store */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the organisation. */
                    orgId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/apps/{appId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend an app in every store */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    appId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                        };
                    };
                };
            };
        };
        /** Restore a suspended app */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    appId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            app: components["schemas"]["App"];
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions for review, the earliest submission first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    state?: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                            versions: components["schemas"]["ReviewItem"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions/{versionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version with its contributions and its changes since the last approved version */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: {
                                app: {
                                    /** @description Also its `client_id`. */
                                    id: string;
                                    name: string;
                                    orgId: string;
                                    /**
                                     * Format: date-time
                                     * @example 2026-11-20T10:00:00.000Z
                                     */
                                    suspendedAt: string | null;
                                };
                                appId: string;
                                blocks: components["schemas"]["Block"][];
                                changes: components["schemas"]["VersionChanges"];
                                /** @description The origins that the version's islands may connect to, besides the page's own. */
                                connectOrigins: string[];
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                createdAt: string;
                                id: string;
                                islands: components["schemas"]["Island"][];
                                /** @description 1, 2, … within the app. */
                                number: number;
                                org: components["schemas"]["ReviewedOrg"];
                                payments: {
                                    /** @example Example Pay */
                                    name: string;
                                } | null;
                                rejectionReason: string | null;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                reviewedAt: string | null;
                                scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
                                /** @enum {string} */
                                state: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                submittedAt: string | null;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                updatedAt: string;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                withdrawnAt: string | null;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions/{versionId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a submitted version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions/{versionId}/islands/module": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an island's module as a reviewer */
        get: {
            parameters: {
                query: {
                    /** @description The name of a declared island. */
                    name: string;
                };
                header?: never;
                path: {
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions/{versionId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reject a submitted version for good */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: components["schemas"]["AppVersion"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/review/versions/{versionId}/renderings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Render the blocks of a version beside those of the approved version */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    versionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            renderings: components["schemas"]["BlockRenderings"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stores that you are a member of */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            stores: components["schemas"]["Store"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a store, with you as its owner */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description ISO 4217.
                         * @example EUR
                         */
                        currency?: string;
                        name: string;
                        slug?: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            store: components["schemas"]["Store"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            store: components["schemas"]["Store"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a store's name, slug, currency, languages or settings */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        checkout?: {
                            /** @description Days after which any other open, unfulfilled order with a pending payment is cancelled and its stock restored, including orders placed before the setting. 0: never. */
                            expireManualAfterDays?: number;
                            /** @description Minutes after which an order with an open payment at a provider is cancelled and its stock restored. 0: never. Takes effect once the store accepts payments through a provider; until then `expireManualAfterDays` applies to every unpaid order. */
                            expireUnpaidAfterMinutes?: number;
                            /** @description The maximum quantity of one variant in an order. */
                            maxQuantity?: number;
                            /**
                             * @description Refunds above this amount, in minor units of the store’s currency, require the role `admin`. Null: no limit.
                             * @example null
                             */
                            refundLimitCents?: number | null;
                            /** @description Days after delivery during which shoppers can request a return. 0: never. */
                            returnDays?: number;
                        };
                        /**
                         * @description ISO 4217.
                         * @example EUR
                         */
                        currency?: string;
                        /** @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v */
                        faviconMediaId?: string | null;
                        /**
                         * @description The languages of the store, BCP 47: first the original language, then the languages with addresses of their own. Null: English, and the first 20 languages with translations.
                         * @example [
                         *       "en",
                         *       "de",
                         *       "pt-BR"
                         *     ]
                         */
                        locales?: string[] | null;
                        name?: string;
                        slug?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            store: components["schemas"]["Store"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store's API keys, newest first, including revoked ones */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apiKeys: components["schemas"]["ApiKey"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create an API key */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apiKey: components["schemas"]["ApiKey"];
                            /** @example wbk_… */
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an API key */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the API key. */
                    keyId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apiKey: components["schemas"]["ApiKey"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Revoke an API key */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the API key. */
                    keyId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the apps of a store, newest first, including uninstalled ones */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    state?: "installed" | "disabled" | "suspended" | "uninstalled";
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            apps: components["schemas"]["Install"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an app's install */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Uninstall an app */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grant or decline the access that an app requested at /oauth/authorize */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Authorization"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            redirectTo: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the pending version would remove from the store's pages */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            missingBlocks: components["schemas"]["BlockUse"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /** Accept the version that waits for consent */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The origins that its islands may connect to, in any order; none by default. */
                        connectOrigins?: string[];
                        /** @description The scopes that the version requests, in any order. */
                        scopes: string[];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable an app */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                        };
                    };
                };
            };
        };
        /** Enable a disabled app */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install an app, also after an uninstall */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["InstallInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                            redirectTo?: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what a rollback would remove from the store's pages */
        get: {
            parameters: {
                query: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description The ID of an earlier approved version. */
                    versionId: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            missingBlocks: components["schemas"]["BlockUse"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /** Roll a store's app back to an earlier approved version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The origins that its islands may connect to, in any order; none by default. */
                        connectOrigins?: string[];
                        /** @description The scopes that the version requests, in any order. */
                        scopes?: string[];
                        versionId: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            install: components["schemas"]["Install"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the uses of an app's blocks */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            uses: components["schemas"]["BlockUse"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/apps/{appId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of an app available to a store, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the app. */
                    appId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                            versions: components["schemas"]["StoreVersion"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search articles */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Only articles directly in this category. */
                    categoryId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the title, the slug or a tag. */
                    q?: string;
                    /** @description `published`: drafts come last in both directions. */
                    sort?: "created" | "updated" | "published" | "title";
                    status?: "draft" | "published";
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            articles: components["schemas"]["Article"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create an article */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ArticleInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/canvas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the data with which the editor renders an article */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Canvas"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Convert an article's body to HTML */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @constant */
                        bodyType: "html";
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an article's builder document */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        /** Create or replace the builder document of an article */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                            /** @description Valid content that shows nothing: `unknown_app`, `unknown_block`, `unknown_slot`, `unknown_product`, `unknown_media`, `unknown_page`, and `unopened_write` if no trait opens the set value. Omits content that could not be checked. */
                            warnings: components["schemas"]["DocumentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview the page that publishing the article would produce */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        document?: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the revisions of an article's builder document */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            revisions: components["schemas"]["Revision"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/revisions/{revisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an earlier builder document of an article */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            revision: components["schemas"]["Revision"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{articleId}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an earlier builder document of an article, also if its body is HTML now */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    articleId: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an article */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        /** Replace an article */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ArticleInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete an article */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change an article's title, slug, position or publication */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ArticleChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/articles/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish an article's saved document */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store's audit entries, newest first */
        get: {
            parameters: {
                query?: {
                    action?: "apiKey.created" | "apiKey.revoked" | "member.added" | "member.roleChanged" | "member.removed" | "invitation.created" | "invitation.accepted" | "invitation.withdrawn" | "store.created" | "store.updated" | "store.closed" | "domain.added" | "domain.activated" | "domain.deactivated" | "domain.removed" | "organisation.created" | "organisation.deleted" | "app.created" | "app.updated" | "app.secretReplaced" | "app.webhookSecretIssued" | "app.suspended" | "app.restored" | "app.deleted" | "app.installed" | "app.authorized" | "app.consented" | "app.rolledBack" | "app.disabled" | "app.enabled" | "app.uninstalled" | "appVersion.submitted" | "appVersion.recalled" | "appVersion.approved" | "appVersion.rejected" | "appVersion.withdrawn" | "appVersion.restored" | "appVersion.deleted" | "paymentMethod.created" | "paymentMethod.updated" | "paymentMethod.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secretRotated" | "webhook.rotationFinished" | "webhook.replayStarted" | "page.published" | "page.unpublished" | "page.deleted" | "section.published" | "template.published" | "template.deleted" | "theme.published" | "article.published" | "article.unpublished" | "article.deleted" | "order.statusChanged" | "order.cancelled" | "order.paymentChanged" | "order.fulfillmentChanged" | "order.paymentUrlChanged" | "payment.recorded" | "payment.captured" | "payment.voided" | "fulfillment.created" | "fulfillment.updated" | "refund.created" | "return.created" | "return.updated" | "customer.erased" | "customField.created" | "customField.updated" | "customField.deleted" | "discount.created" | "discount.updated" | "discount.deleted" | "discount.codesCreated" | "discount.codeWithdrawn" | "taxes.updated" | "shipping.updated" | "documents.updated" | "document.issued" | "note.deleted" | "mailTemplate.updated" | "mailTemplate.reset" | "mailSettings.updated" | "media.purged";
                    /** @description The ID of a user, an API key or an app; or `system`. Empty: any actor. */
                    actor?: string;
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description Actions at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    /** @description Actions before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            entries: components["schemas"]["AuditEntry"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the blocks of all apps available in the store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blocks: components["schemas"]["CatalogueBlock"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/blog-categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List blog categories */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategories: components["schemas"]["BlogCategory"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a blog category */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BlogCategoryInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/blog-categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a blog category */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        /** Replace a blog category */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BlogCategoryInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a blog category */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List categories */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            categories: components["schemas"]["Category"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a category */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a category */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a category */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a category */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/categories/{id}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the products of a category */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            products: components["schemas"]["Product"][];
                            total: number;
                        };
                    };
                };
            };
        };
        /** Set the products of a manual category */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryProducts"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        /** Add products to a manual category, or remove some */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryProductsChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/categories/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview the products of a rule */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryRulePreview"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            products: components["schemas"]["PreviewedProduct"][];
                            total: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List custom fields */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    entity?: "product" | "variant" | "category" | "customer" | "order" | "page" | "article";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customFields: components["schemas"]["CustomField"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a custom field */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/custom-fields/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a custom field */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a custom field */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a custom field */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search customers */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name, the e-mail address or the phone number. */
                    q?: string;
                    sort?: "created" | "name" | "email";
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customers: components["schemas"]["Customer"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a customer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomerInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/customers/{customerId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Erase the personal data of a customer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    customerId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/customers/{customerId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download all data of a customer as a file */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    customerId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CustomerExport"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/customers/{customerId}/note": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the merchant's private note on a customer */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    customerId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            note: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Write the merchant's private note on a customer */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    customerId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string | null;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            note: string;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a customer */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                        };
                    };
                };
            };
        };
        /** Replace a customer */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomerInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a customer */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/discounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List discounts, the newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the title or the code. */
                    q?: string;
                    status?: "active" | "disabled";
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discounts: components["schemas"]["Discount"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a discount */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DiscountInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/discounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a discount */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a discount with its codes */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a discount */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DiscountPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/discounts/{id}/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the single-use codes of a discount, oldest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Only used codes, or only unused ones. */
                    used?: "true" | "false";
                };
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            codes: components["schemas"]["SingleUseCode"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create single-use codes */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewDiscountCodes"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @example [
                             *       "SPRING-7K2M9QX4"
                             *     ]
                             */
                            codes: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/discounts/{id}/codes/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a single-use code */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    code: string;
                    /** @description The ID of the discount. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/documents/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the document settings of a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            settings: components["schemas"]["DocumentSettings"];
                        };
                    };
                };
            };
        };
        /** Replace the document settings of a store */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DocumentSettingsInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            settings: components["schemas"]["DocumentSettings"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store's own domains */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            domains: components["schemas"]["Domain"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Add a custom domain to a store */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example shop.example.com */
                        hostname: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            domain: components["schemas"]["Domain"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/domains/{domainId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one of a store's own domains */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the domain. */
                    domainId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            domain: components["schemas"]["Domain"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Remove a domain */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the domain. */
                    domainId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event types, each with its schema and a sample */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventTypes: components["schemas"]["EventTypeDescription"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the log of events */
        get: {
            parameters: {
                query?: {
                    /** @description The ID of the previous event: `nextCursor`. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description Created at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    /** @description Types, separated by commas; unknown types are ignored. */
                    type?: string;
                    /** @description Created before this time. A date alone means its first instant in UTC. */
                    until?: string;
                    /** @description The maximum number of seconds to wait for an event if there is none yet. */
                    wait?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            events: components["schemas"]["Event"][];
                            /** @description The ID of the last event; without events `after`, or with `dir=desc` null. */
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an event */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event: components["schemas"]["Event"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/form-submissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List form submissions */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Only submissions of this form. */
                    formId?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            formSubmissions: components["schemas"]["FormSubmission"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/form-submissions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a form submission */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the form submission. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            formSubmission: components["schemas"]["FormSubmission"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a form submission */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the form submission. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store's open invitations */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitations: components["schemas"]["Invitation"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Invite somebody to a store by mail */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin" | "owner";
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["Invitation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an open invitation */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the invitation. */
                    invitationId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["Invitation"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Withdraw an invitation */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the invitation. */
                    invitationId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the limits of a store and their usage */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            limits: components["schemas"]["StoreLimit"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/mail-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the sender of customer mails */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mailSettings: components["schemas"]["MailSettings"];
                        };
                    };
                };
            };
        };
        /** Set the sender of customer mails */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MailSettingsInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mailSettings: components["schemas"]["MailSettings"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/mail-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the mails to customers */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Only mails in this language. */
                    locale?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mailTemplates: components["schemas"]["MailTemplate"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/mail-templates/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a mail to customers */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description One of en, de, fr, es, it, nl; by default the store’s first. */
                    locale?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mailTemplate: components["schemas"]["MailTemplate"];
                        };
                    };
                };
            };
        };
        /** Customize a mail to customers */
        put: {
            parameters: {
                query?: {
                    /** @description One of en, de, fr, es, it, nl; by default the store’s first. */
                    locale?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MailTemplateInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mailTemplate: components["schemas"]["MailTemplate"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Reset a customer mail to its default */
        delete: {
            parameters: {
                query?: {
                    /** @description One of en, de, fr, es, it, nl; by default the store’s first. */
                    locale?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/mail-templates/{kind}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a customer mail */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["MailTrial"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @example <!doctype html>… */
                            html: string;
                            /** @example Your order 1042 is on its way */
                            subject: string;
                            /**
                             * @example Hello Ada,
                             *     …
                             */
                            text: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/mail-templates/{kind}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a mail to customers to yourself */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["MailTrial"];
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search media */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description A folder's ID, or `root` for assets in no folder. */
                    folderId?: string;
                    kind?: "image" | "video" | "font";
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name. */
                    q?: string;
                    sort?: "created" | "name" | "size";
                    trashed?: boolean;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Upload a file */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": {
                        /**
                         * Format: binary
                         * @description At most 25 MiB.
                         */
                        file: string;
                        /** @description Omitted or empty: the root. */
                        folderId?: string;
                        /** @description Omitted or empty: the file's name. */
                        name?: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media-folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the folder tree */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolders: components["schemas"]["MediaFolder"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a folder */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaFolderInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media-folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a folder, with those in it */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete an empty folder */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Rename a folder, or move it with its contents */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaFolderPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an asset */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Move an asset to the trash */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change an asset's name, folder, alt text or focal point */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/media/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an asset from the trash */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the uses of an asset */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            usage: {
                                id: string;
                                /** @description Whether visitors see it there. */
                                live: boolean;
                                /** @description A name, a title, the number of an order, or the id of a customer. */
                                name: string;
                                /** @enum {string} */
                                type: "page" | "article" | "product" | "category" | "section" | "template" | "theme" | "order" | "customer";
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete assets in the trash for good */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        force?: boolean;
                        ids: string[];
                    };
                };
            };
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/media/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the storage usage of the media library */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            quota: {
                                limit: number;
                                trashed: number;
                                used: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store's members */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            members: components["schemas"]["Member"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Invite somebody to become a member of a store */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                         * @example ann@example.com
                         */
                        email: string;
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin" | "owner";
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["Invitation"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a member of a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["Member"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Remove a member, or leave a store */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a member's role */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    /** @description The ID of the user. */
                    userId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        role: "viewer" | "editor" | "admin" | "owner";
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["Member"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/order-mails/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the mails to the customer of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    orderId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            orderMails: components["schemas"]["OrderMail"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search orders */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    customerId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    fulfillment?: "unfulfilled" | "partially_fulfilled" | "fulfilled" | "returned";
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    payment?: "pending" | "authorized" | "paid" | "partially_refunded" | "refunded" | "voided";
                    /** @description Every word must occur in the number, the customer’s name or e-mail address. */
                    q?: string;
                    /** @description Placed at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    sort?: "number" | "created" | "updated" | "total";
                    status?: "open" | "completed" | "cancelled";
                    /** @description Placed before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            orders: components["schemas"]["Order"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Place an order for a customer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberCheckoutInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an order */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change an order's status, payment or fulfillment */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["OrderChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set values of an order’s custom fields */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldsOfOrder"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the documents of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            documents: components["schemas"]["OrderDocument"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Issue a document of an order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DocumentInput"];
                };
            };
            responses: {
                /** @description The document was already issued. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["OrderDocument"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a document */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the document. */
                    documentId: string;
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["OrderDocument"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/fulfillments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the fulfilments of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillments: components["schemas"]["Fulfillment"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Fulfil an order or a part of it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["FulfillmentInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/fulfillments/{fulfillmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a fulfilment */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the fulfilment. */
                    fulfillmentId: string;
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a fulfilment's tracking or status */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the fulfilment. */
                    fulfillmentId: string;
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FulfillmentPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/payment-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set or remove the payment link of an order */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the payments of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            payments: components["schemas"]["Payment"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Record money that came another way */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["PaymentInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the refunds of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            refunds: components["schemas"]["Refund"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Refund an order, or a part of it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RefundInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/refunds/{refundId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a refund */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the refund. */
                    refundId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the returns of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            returns: components["schemas"]["Return"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Approve a return */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberReturnInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/returns/{returnId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a return */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the state of a return */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReturnPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{id}/returns/{returnId}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refund a return */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["ReturnRefundInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{orderId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members' notes on an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    orderId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            notes: components["schemas"]["OrderNote"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Add a note to an order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    orderId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OrderNoteInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            note: components["schemas"]["OrderNote"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/orders/{orderId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a note on an order */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the note. */
                    noteId: string;
                    /** @description The ID of the order. */
                    orderId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pages by position */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            pages: components["schemas"]["Page"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a page */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PageInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a page, live or not */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a page's name, slug, position or settings, or make it the homepage */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PageChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish a page's saved draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{id}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unpublish a page */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/canvas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the data with which the editor renders a document */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Canvas"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page's document to edit it */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        /** Save a page's draft */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                            /** @description Valid content that shows nothing: `unknown_app`, `unknown_block`, `unknown_slot`, `unknown_product`, `unknown_media`, `unknown_page`, and `unopened_write` if no trait opens the set value. Omits content that could not be checked. */
                            warnings: components["schemas"]["DocumentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Discard a page's draft */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview the HTML that publishing the draft would produce */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        document?: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the revisions of a page */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            revisions: components["schemas"]["Revision"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an earlier state of a page's document */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            revision: components["schemas"]["Revision"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an earlier state the page's draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    pageId: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a store’s payment methods */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            paymentMethods: components["schemas"]["StorePaymentMethod"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Add a payment method */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaymentMethodInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            paymentMethod: components["schemas"]["StorePaymentMethod"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payment-methods/{methodId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a payment method */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the payment method. */
                    methodId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            paymentMethod: components["schemas"]["StorePaymentMethod"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a payment method */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment method. */
                    methodId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a payment method */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment method. */
                    methodId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaymentMethodChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            paymentMethod: components["schemas"]["StorePaymentMethod"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/payment-reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare payments with the lists of their providers */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PaymentReconciliation"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payments */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    orderId?: string;
                    /** @description Created at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    status?: "pending" | "authorized" | "captured" | "partially_refunded" | "refunded" | "voided" | "failed" | "disputed";
                    /** @description Created before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            payments: components["schemas"]["Payment"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a payment */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payments/{id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Capture a payment */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["CaptureInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
                /** @description The provider did not answer within ten seconds: returns `{ payment }` in its current state; `payment.updated` follows with the answer. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/payments/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Void a payment */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
                /** @description The provider did not answer within ten seconds: returns `{ payment }` in its current state; `payment.updated` follows with the answer. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search products */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Only products in this category. */
                    categoryId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name, the slug, a SKU or a tag. */
                    q?: string;
                    sort?: "number" | "name" | "price" | "stock" | "created" | "updated";
                    status?: "draft" | "active" | "archived";
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            products: components["schemas"]["Product"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a product */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a product */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                        };
                    };
                };
            };
        };
        /** Replace a product */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a product */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a product */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/products/{id}/variants/{variantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a variant */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                    /** @description The ID of the variant. */
                    variantId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VariantPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/stores/{storeId}/products/{id}/variants/{variantId}/stock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the stock of a variant by a difference */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    storeId: string;
                    /** @description The ID of the variant. */
                    variantId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StockAdjustment"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calculate the price of a cart for a customer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberQuoteInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            quote: components["schemas"]["Quote"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/reports/discounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Estimate the cost of a discount over past orders */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DiscountEstimateInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DiscountEstimate"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/reports/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report captured and refunded payments by day and method */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Inclusive; 30 days before `to` by default. A date alone means its first instant in UTC. */
                    from?: string;
                    /** @description The time zone that defines days, by its IANA name. */
                    timeZone?: string;
                    /** @description Exclusive; now by default. A date alone means its first instant in UTC. */
                    to?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description ISO 4217. */
                            currency: string;
                            payments: {
                                /** @description In minor units of the store’s currency. */
                                capturedCents: number;
                                /** @description In minor units of the store’s currency. */
                                disputedCents: number;
                                /** @description Null if recorded by hand. */
                                methodId: string | null;
                                /** @description The method’s name when it was last chosen. */
                                name: string | null;
                                /** @description In minor units of the store’s currency. */
                                refundedCents: number;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                start: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/reports/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report sales by day, week or month */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Inclusive; 30 days before `to` by default. A date alone means its first instant in UTC. */
                    from?: string;
                    interval?: "day" | "week" | "month";
                    /** @description The time zone that defines days, by its IANA name. */
                    timeZone?: string;
                    /** @description Exclusive; now by default. A date alone means its first instant in UTC. */
                    to?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description ISO 4217. */
                            currency: string;
                            sales: {
                                orders: number;
                                /** @description The amount captured in the interval, regardless of the time of the order. */
                                paidCents: number;
                                /** @description The amount refunded in the interval, regardless of the time of the order. */
                                refundedCents: number;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                start: string;
                                /** @description In minor units of the store’s currency. */
                                totalCents: number;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/reports/top-products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report the best-selling products */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Inclusive; 30 days before `to` by default. A date alone means its first instant in UTC. */
                    from?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description Exclusive; now by default. A date alone means its first instant in UTC. */
                    to?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            products: {
                                /** @description The product’s name when it was last sold. */
                                name: string;
                                productId: string;
                                quantity: number;
                                /** @description In minor units of the store’s currency. */
                                totalCents: number;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List returns */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    state?: "requested" | "approved" | "declined" | "received" | "closed";
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            returns: components["schemas"]["Return"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search all resources of the store that your role may read */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Every word must occur, as in the list of each type. */
                    q?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            hits: {
                                id: string;
                                /** @example earl-grey */
                                subtitle: string;
                                /** @example Earl Grey */
                                title: string;
                                /** @enum {string} */
                                type: "product" | "order" | "customer" | "page" | "article" | "media";
                            }[];
                            /** @description The types that could not be searched this time. */
                            unavailable?: ("product" | "order" | "customer" | "page" | "article" | "media")[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List global sections, the oldest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            sections: components["schemas"]["Section"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a global section */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            section: components["schemas"]["Section"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the saved state of a global section */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            section: components["schemas"]["Section"];
                        };
                    };
                };
            };
        };
        /** Save a global section */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            section: components["schemas"]["Section"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a global section */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}/canvas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the data with which the editor renders a section */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Canvas"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the revisions of a global section, and the publications of pages that contain it */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            revisions: components["schemas"]["Revision"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}/revisions/{revisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an earlier document of a global section */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            revision: components["schemas"]["Revision"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an earlier document of a global section */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            section: components["schemas"]["Section"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/sections/{sectionId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the documents that contain a section */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the section. */
                    sectionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            usage: components["schemas"]["SectionUser"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/shipping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the shipping settings of a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            shipping: components["schemas"]["Shipping"];
                        };
                    };
                };
            };
        };
        /** Replace the shipping settings of a store */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ShippingInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            shipping: components["schemas"]["Shipping"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the store and the permissions in effect */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
                            store: {
                                /**
                                 * @description ISO 4217.
                                 * @example EUR
                                 */
                                currency: string;
                                /**
                                 * @description The number of decimals of the currency by ISO 4217: amounts are in its minor unit.
                                 * @example 2
                                 */
                                currencyExponent: number;
                                /**
                                 * @description A picture from the store’s media library; browsers show it beside page titles.
                                 * @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v
                                 */
                                faviconMediaId?: string | null;
                                id: string;
                                /** @description Whether the store belongs to an app developer’s organisation, and can install unreviewed versions. */
                                isDevelopment: boolean;
                                /**
                                 * @description The languages of the store, BCP 47: first the original language, then the languages with addresses of their own. Null: English, and the first 20 languages with translations.
                                 * @example [
                                 *       "en",
                                 *       "de",
                                 *       "pt-BR"
                                 *     ]
                                 */
                                locales: string[] | null;
                                name: string;
                                /** @description Unique among all stores. */
                                slug: string;
                                /**
                                 * @description The address of the store for visitors.
                                 * @example https://tea-house.example/
                                 */
                                url: string;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/taxes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the tax settings of a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            taxes: components["schemas"]["Taxes"];
                        };
                    };
                };
            };
        };
        /** Replace the tax settings of a store */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaxesInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            taxes: components["schemas"]["Taxes"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/taxes/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Apply today's tax rates of some countries */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        preset: "eu" | "uk" | "ch" | "no";
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            taxes: components["schemas"]["Taxes"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the templates of a store */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            templates: components["schemas"]["Template"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a template */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            template: components["schemas"]["Template"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Reset a template to its default */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/canvas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the data with which the editor renders a template */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description For the article template: the article to show; by default the last published one. */
                        articleId?: string;
                        /** @description For the category template: the category to show; by default the first. */
                        categoryId?: string;
                        document: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                        /** @description For the product template: the product to show; by default the newest active one. */
                        productId?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            problems: components["schemas"]["DocumentWarning"][];
                            shownWith: components["schemas"]["ShownWith"] | null;
                            /** @description The sections, blocks, products, media, page addresses, app values, and texts in the locale. */
                            sources: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a template to edit it */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        /** Save a template's draft */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        document: components["schemas"]["Document"];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                            /** @description Valid content that shows nothing: `unknown_app`, `unknown_block`, `unknown_slot`, `unknown_product`, `unknown_media`, `unknown_page`, and `unopened_write` if no trait opens the set value. Omits content that could not be checked. */
                            warnings: components["schemas"]["DocumentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a page with the saved template */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @description For the article template: the article to show; by default the last published one. */
                        articleId?: string;
                        /** @description For the category template: the category to show; by default the first. */
                        categoryId?: string;
                        document?: components["schemas"]["Document"];
                        /**
                         * @description A BCP 47 tag.
                         * @example de
                         */
                        locale?: string;
                        /** @description For the product template: the product to show; by default the newest active one. */
                        productId?: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish a template's saved draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            template: components["schemas"]["Template"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the revisions of a template */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            revisions: components["schemas"]["Revision"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/revisions/{revisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an earlier state of a template's document */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            revision: components["schemas"]["Revision"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/templates/{kind}/revisions/{revisionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an earlier state the template's draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    kind: string;
                    /** @description The ID of the revision. */
                    revisionId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["Document"];
                            draft: components["schemas"]["DraftState"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/theme": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store's theme */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    state?: "draft" | "live";
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Whether a saved theme is not yet published. */
                            hasDraft: boolean;
                            /**
                             * Format: date-time
                             * @example 2026-11-20T10:00:00.000Z
                             */
                            publishedAt: string | null;
                            theme: components["schemas"]["Theme"];
                        };
                    };
                };
            };
        };
        /** Save a store's theme */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        theme: components["schemas"]["ThemeInput"];
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Whether a saved theme is not yet published. */
                            hasDraft: boolean;
                            /**
                             * Format: date-time
                             * @example 2026-11-20T10:00:00.000Z
                             */
                            publishedAt: string | null;
                            theme: components["schemas"]["Theme"];
                            /** @description `low_contrast` for text that is hard to read (WCAG 2.2, 1.4.3). */
                            warnings: components["schemas"]["DocumentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/theme/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish the saved theme */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Whether a saved theme is not yet published. */
                            hasDraft: boolean;
                            /**
                             * Format: date-time
                             * @example 2026-11-20T10:00:00.000Z
                             */
                            publishedAt: string | null;
                            theme: components["schemas"]["Theme"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the translations of an entity, or of several */
        get: {
            parameters: {
                query: {
                    /** @description Either this or `entityIds` is required. */
                    entityId?: string;
                    /** @description At most 200 IDs, separated by commas. */
                    entityIds?: string;
                    entityType?: "product" | "category" | "article" | "blogCategory" | "node";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description A BCP 47 tag. */
                    locale: string;
                    /** @description The number of rows to skip. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            total: number;
                            translations: components["schemas"]["Translation"][];
                        } | {
                            byEntity: {
                                [key: string]: components["schemas"]["Translation"][];
                            };
                        };
                    };
                };
            };
        };
        /** Write translations */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TranslationsInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of entries sent. */
                            written: number;
                        };
                    };
                };
            };
        };
        post?: never;
        /** Clear the translation of a field */
        delete: {
            parameters: {
                query: {
                    entityId: string;
                    entityType: "product" | "category" | "article" | "blogCategory" | "node";
                    field: string;
                    /** @description A BCP 47 tag. */
                    locale: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/translations/languages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the languages of a store's pages */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            languages: {
                                /**
                                 * @description The language that the store is written in.
                                 * @example en
                                 */
                                default: string;
                                /**
                                 * @example [
                                 *       "de"
                                 *     ]
                                 */
                                others: string[];
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/translations/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the translation progress of a locale */
        get: {
            parameters: {
                query: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description A BCP 47 tag. */
                    locale: string;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            progress: {
                                byEntityType: {
                                    article: {
                                        total: number;
                                        translated: number;
                                    };
                                    blogCategory: {
                                        total: number;
                                        translated: number;
                                    };
                                    category: {
                                        total: number;
                                        translated: number;
                                    };
                                    node: {
                                        total: number;
                                        translated: number;
                                    };
                                    product: {
                                        total: number;
                                        translated: number;
                                    };
                                };
                                locale: string;
                                total: number;
                                translated: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/vocabulary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the vocabulary of page elements */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            vocabulary: components["schemas"]["Vocabulary"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                            webhooks: components["schemas"]["Webhook"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description Signs the calls; shown only in this answer.
                             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
                             */
                            secret: string;
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        /** Replace a webhook */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookReplacement"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a webhook */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a webhook's endpoint for problems */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            checks: components["schemas"]["WebhookCheck"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Values other than event IDs are ignored. */
                    eventId?: string;
                    eventType?: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    status?: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deliveries: components["schemas"]["WebhookDelivery"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery with the log of its attempts */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: {
                                /** @description The number of the latest attempt; 1 before the first has ended. */
                                attempt: number;
                                /** @description Oldest first; beyond 50 attempts, the newest 50. */
                                attempts: components["schemas"]["WebhookAttempt"][];
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                createdAt: string;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                deliveredAt: string | null;
                                endpointId: string;
                                eventId: string;
                                /** @enum {string} */
                                eventType: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
                                id: string;
                                /** @description Whether it was requested as a test. */
                                isTest: boolean;
                                /** @description Empty if there is none. */
                                lastError: string;
                                lastStatusCode: number | null;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                nextAttemptAt: string | null;
                                /** @description The request of the latest attempt; null before it, and for readers without permission for the event. */
                                request: {
                                    /**
                                     * @description The first 64 KiB of the body.
                                     * @example {"id":"evt_…","type":"product.created"}
                                     */
                                    body: string;
                                    /** @example https://example.com/webhooks */
                                    url: string;
                                } | null;
                                /** @enum {string} */
                                status: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a delivery now */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: components["schemas"]["WebhookDelivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replay events to a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplayInput"];
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            replay: components["schemas"]["WebhookReplay"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the replays of a webhook, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            replays: components["schemas"]["WebhookReplay"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/replays/{replayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how far a replay has come */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    /** @description The ID of the replay. */
                    replayId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            replay: components["schemas"]["WebhookReplay"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Stop a replay */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    /** @description The ID of the replay. */
                    replayId: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a new signing secret for a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["RotationInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description Signs the calls; shown only in this answer.
                             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
                             */
                            secret: string;
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/rotate-secret/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the overlap of a secret rotation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read recent delivery statistics of a webhook */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description The number of hours. Values above 720 count as 720. */
                    hours?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            stats: components["schemas"]["WebhookStats"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stores/{storeId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a sample event to a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["TestCallInput"];
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: components["schemas"]["WebhookDelivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/app-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the calling app's values in the store, by key */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    key?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    owner?: "site" | "product";
                    ownerId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            appData: components["schemas"]["AppData"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        /** Set a value */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AppDataInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            appData: components["schemas"]["AppData"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/app-data/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a value of the site, or with `owner` and `ownerId` of a product */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description `site` by default, or `product`. */
                    owner?: string;
                    /** @description The ID of the product. */
                    ownerId?: string;
                };
                header?: never;
                path: {
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            appData: components["schemas"]["AppData"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a value of the site, or with `owner` and `ownerId` of a product */
        delete: {
            parameters: {
                query?: {
                    /** @description `site` by default, or `product`. */
                    owner?: string;
                    /** @description The ID of the product. */
                    ownerId?: string;
                };
                header?: never;
                path: {
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/articles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search articles */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Only articles directly in this category. */
                    categoryId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the title, the slug or a tag. */
                    q?: string;
                    /** @description `published`: drafts come last in both directions. */
                    sort?: "created" | "updated" | "published" | "title";
                    status?: "draft" | "published";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            articles: components["schemas"]["Article"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create an article */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ArticleInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/articles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an article */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        /** Replace an article */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ArticleInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete an article */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/articles/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish an article's saved document */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the article. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            article: components["schemas"]["Article"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blog-categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List blog categories */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategories: components["schemas"]["BlogCategory"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a blog category */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BlogCategoryInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blog-categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a blog category */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        /** Replace a blog category */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BlogCategoryInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            blogCategory: components["schemas"]["BlogCategory"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a blog category */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the blog category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List categories */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            categories: components["schemas"]["Category"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a category */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a category */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a category */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a category */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/categories/{id}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the products of a category */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            products: components["schemas"]["Product"][];
                            total: number;
                        };
                    };
                };
            };
        };
        /** Set the products of a manual category */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryProducts"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        /** Add products to a manual category, or remove some */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the category. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CategoryProductsChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            category: components["schemas"]["Category"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List custom fields */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    entity?: "product" | "variant" | "category" | "customer" | "order" | "page" | "article";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customFields: components["schemas"]["CustomField"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a custom field */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/custom-fields/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a custom field */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a custom field */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a custom field */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the custom field. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customField: components["schemas"]["CustomField"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search customers */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name, the e-mail address or the phone number. */
                    q?: string;
                    sort?: "created" | "name" | "email";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customers: components["schemas"]["Customer"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a customer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomerInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a customer */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                        };
                    };
                };
            };
        };
        /** Replace a customer */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomerInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a customer */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the customer. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List discounts, the newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the title or the code. */
                    q?: string;
                    status?: "active" | "disabled";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discounts: components["schemas"]["Discount"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a discount */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DiscountInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a discount */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a discount with its codes */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a discount */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DiscountPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            discount: components["schemas"]["Discount"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/discounts/{id}/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the single-use codes of a discount, oldest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Only used codes, or only unused ones. */
                    used?: "true" | "false";
                };
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            codes: components["schemas"]["SingleUseCode"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create single-use codes */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewDiscountCodes"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @example [
                             *       "SPRING-7K2M9QX4"
                             *     ]
                             */
                            codes: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discounts/{id}/codes/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a single-use code */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    code: string;
                    /** @description The ID of the discount. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event types, each with its schema and a sample */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventTypes: components["schemas"]["EventTypeDescription"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the log of events */
        get: {
            parameters: {
                query?: {
                    /** @description The ID of the previous event: `nextCursor`. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description Created at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    /** @description Types, separated by commas; unknown types are ignored. */
                    type?: string;
                    /** @description Created before this time. A date alone means its first instant in UTC. */
                    until?: string;
                    /** @description The maximum number of seconds to wait for an event if there is none yet. */
                    wait?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            events: components["schemas"]["Event"][];
                            /** @description The ID of the last event; without events `after`, or with `dir=desc` null. */
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an event */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event: components["schemas"]["Event"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/form-submissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List form submissions */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Only submissions of this form. */
                    formId?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            formSubmissions: components["schemas"]["FormSubmission"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/form-submissions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a form submission */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the form submission. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            formSubmission: components["schemas"]["FormSubmission"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a form submission */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the form submission. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search media */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description A folder's ID, or `root` for assets in no folder. */
                    folderId?: string;
                    kind?: "image" | "video" | "font";
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name. */
                    q?: string;
                    sort?: "created" | "name" | "size";
                    trashed?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Upload a file */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": {
                        /**
                         * Format: binary
                         * @description At most 25 MiB.
                         */
                        file: string;
                        /** @description Omitted or empty: the root. */
                        folderId?: string;
                        /** @description Omitted or empty: the file's name. */
                        name?: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media-folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the folder tree */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolders: components["schemas"]["MediaFolder"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a folder */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaFolderInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media-folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a folder, with those in it */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete an empty folder */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Rename a folder, or move it with its contents */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media folder. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaFolderPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mediaFolder: components["schemas"]["MediaFolder"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an asset */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Move an asset to the trash */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change an asset's name, folder, alt text or focal point */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MediaPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/media/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an asset from the trash */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            media: components["schemas"]["Media"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search orders */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    customerId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    fulfillment?: "unfulfilled" | "partially_fulfilled" | "fulfilled" | "returned";
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    payment?: "pending" | "authorized" | "paid" | "partially_refunded" | "refunded" | "voided";
                    /** @description Every word must occur in the number, the customer’s name or e-mail address. */
                    q?: string;
                    /** @description Placed at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    sort?: "number" | "created" | "updated" | "total";
                    status?: "open" | "completed" | "cancelled";
                    /** @description Placed before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            orders: components["schemas"]["Order"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an order */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change an order's status, payment or fulfillment */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["OrderChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/orders/{id}/custom-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set values of an order’s custom fields */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CustomFieldsOfOrder"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the documents of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            documents: components["schemas"]["OrderDocument"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Issue a document of an order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DocumentInput"];
                };
            };
            responses: {
                /** @description The document was already issued. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["OrderDocument"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a document */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the document. */
                    documentId: string;
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            document: components["schemas"]["OrderDocument"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/fulfillments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the fulfilments of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillments: components["schemas"]["Fulfillment"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Fulfil an order or a part of it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["FulfillmentInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/fulfillments/{fulfillmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a fulfilment */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the fulfilment. */
                    fulfillmentId: string;
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a fulfilment's tracking or status */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the fulfilment. */
                    fulfillmentId: string;
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FulfillmentPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            fulfillment: components["schemas"]["Fulfillment"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/orders/{id}/payment-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set or remove the payment link of an order */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the payments of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            payments: components["schemas"]["Payment"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Record money that came another way */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["PaymentInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the refunds of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            refunds: components["schemas"]["Refund"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Refund an order, or a part of it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RefundInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/refunds/{refundId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a refund */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the refund. */
                    refundId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the returns of an order */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            returns: components["schemas"]["Return"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Approve a return */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberReturnInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{id}/returns/{returnId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a return */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the state of a return */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReturnPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/orders/{id}/returns/{returnId}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refund a return */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the order. */
                    id: string;
                    /** @description The ID of the return. */
                    returnId: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["ReturnRefundInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refund: components["schemas"]["Refund"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pages by position */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            pages: components["schemas"]["Page"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a page */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PageInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a page, live or not */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a page's name, slug, position or settings, or make it the homepage */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PageChange"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/pages/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish a page's saved draft */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pages/{id}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unpublish a page */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the page. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            page: components["schemas"]["Page"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payment-sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report the outcome of a payment session */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment session. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaymentSessionReport"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            paymentSession: components["schemas"]["PaymentSession"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payments */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    orderId?: string;
                    /** @description Created at this time or later. A date alone means its first instant in UTC. */
                    since?: string;
                    status?: "pending" | "authorized" | "captured" | "partially_refunded" | "refunded" | "voided" | "failed" | "disputed";
                    /** @description Created before this time. A date alone means its first instant in UTC. */
                    until?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            payments: components["schemas"]["Payment"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a payment */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/{id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Capture a payment */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["CaptureInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
                /** @description The provider did not answer within ten seconds: returns `{ payment }` in its current state; `payment.updated` follows with the answer. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payments/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Void a payment */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["Payment"];
                        };
                    };
                };
                /** @description The provider did not answer within ten seconds: returns `{ payment }` in its current state; `payment.updated` follows with the answer. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search products */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Only products in this category. */
                    categoryId?: string;
                    dir?: "asc" | "desc";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    /** @description Every word must occur in the name, the slug, a SKU or a tag. */
                    q?: string;
                    sort?: "number" | "name" | "price" | "stock" | "created" | "updated";
                    status?: "draft" | "active" | "archived";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            products: components["schemas"]["Product"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a product */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a product */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                        };
                    };
                };
            };
        };
        /** Replace a product */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a product */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a product */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProductPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/products/{id}/variants/{variantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a variant */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    /** @description The ID of the variant. */
                    variantId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VariantPatch"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                            /** @description The content and active markup that was removed. Absent if nothing was removed. */
                            warnings?: components["schemas"]["ContentWarning"][];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/products/{id}/variants/{variantId}/stock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the stock of a variant by a difference */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the product. */
                    id: string;
                    /** @description The ID of the variant. */
                    variantId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StockAdjustment"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            product: components["schemas"]["Product"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List returns */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                    state?: "requested" | "approved" | "declined" | "received" | "closed";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            returns: components["schemas"]["Return"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the store and the permissions in effect */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
                            store: {
                                /**
                                 * @description ISO 4217.
                                 * @example EUR
                                 */
                                currency: string;
                                /**
                                 * @description The number of decimals of the currency by ISO 4217: amounts are in its minor unit.
                                 * @example 2
                                 */
                                currencyExponent: number;
                                /**
                                 * @description A picture from the store’s media library; browsers show it beside page titles.
                                 * @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v
                                 */
                                faviconMediaId?: string | null;
                                id: string;
                                /** @description Whether the store belongs to an app developer’s organisation, and can install unreviewed versions. */
                                isDevelopment: boolean;
                                /**
                                 * @description The languages of the store, BCP 47: first the original language, then the languages with addresses of their own. Null: English, and the first 20 languages with translations.
                                 * @example [
                                 *       "en",
                                 *       "de",
                                 *       "pt-BR"
                                 *     ]
                                 */
                                locales: string[] | null;
                                name: string;
                                /** @description Unique among all stores. */
                                slug: string;
                                /**
                                 * @description The address of the store for visitors.
                                 * @example https://tea-house.example/
                                 */
                                url: string;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the translations of an entity, or of several */
        get: {
            parameters: {
                query: {
                    /** @description Either this or `entityIds` is required. */
                    entityId?: string;
                    /** @description At most 200 IDs, separated by commas. */
                    entityIds?: string;
                    entityType?: "product" | "category" | "article" | "blogCategory" | "node";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description A BCP 47 tag. */
                    locale: string;
                    /** @description The number of rows to skip. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            total: number;
                            translations: components["schemas"]["Translation"][];
                        } | {
                            byEntity: {
                                [key: string]: components["schemas"]["Translation"][];
                            };
                        };
                    };
                };
            };
        };
        /** Write translations */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TranslationsInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of entries sent. */
                            written: number;
                        };
                    };
                };
            };
        };
        post?: never;
        /** Clear the translation of a field */
        delete: {
            parameters: {
                query: {
                    entityId: string;
                    entityType: "product" | "category" | "article" | "blogCategory" | "node";
                    field: string;
                    /** @description A BCP 47 tag. */
                    locale: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/translations/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the translation progress of a locale */
        get: {
            parameters: {
                query: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description A BCP 47 tag. */
                    locale: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            progress: {
                                byEntityType: {
                                    article: {
                                        total: number;
                                        translated: number;
                                    };
                                    blogCategory: {
                                        total: number;
                                        translated: number;
                                    };
                                    category: {
                                        total: number;
                                        translated: number;
                                    };
                                    node: {
                                        total: number;
                                        translated: number;
                                    };
                                    product: {
                                        total: number;
                                        translated: number;
                                    };
                                };
                                locale: string;
                                total: number;
                                translated: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    /** @description The number of rows to skip, 0 by default; cannot be combined with `after`. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                            webhooks: components["schemas"]["Webhook"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description Signs the calls; shown only in this answer.
                             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
                             */
                            secret: string;
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        /** Replace a webhook */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookReplacement"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        post?: never;
        /** Delete a webhook */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a webhook's endpoint for problems */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            checks: components["schemas"]["WebhookCheck"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Values other than event IDs are ignored. */
                    eventId?: string;
                    eventType?: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                    status?: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deliveries: components["schemas"]["WebhookDelivery"][];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery with the log of its attempts */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: {
                                /** @description The number of the latest attempt; 1 before the first has ended. */
                                attempt: number;
                                /** @description Oldest first; beyond 50 attempts, the newest 50. */
                                attempts: components["schemas"]["WebhookAttempt"][];
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                createdAt: string;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                deliveredAt: string | null;
                                endpointId: string;
                                eventId: string;
                                /** @enum {string} */
                                eventType: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
                                id: string;
                                /** @description Whether it was requested as a test. */
                                isTest: boolean;
                                /** @description Empty if there is none. */
                                lastError: string;
                                lastStatusCode: number | null;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-20T10:00:00.000Z
                                 */
                                nextAttemptAt: string | null;
                                /** @description The request of the latest attempt; null before it, and for readers without permission for the event. */
                                request: {
                                    /**
                                     * @description The first 64 KiB of the body.
                                     * @example {"id":"evt_…","type":"product.created"}
                                     */
                                    body: string;
                                    /** @example https://example.com/webhooks */
                                    url: string;
                                } | null;
                                /** @enum {string} */
                                status: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a delivery now */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the delivery. */
                    deliveryId: string;
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: components["schemas"]["WebhookDelivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replay events to a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplayInput"];
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            replay: components["schemas"]["WebhookReplay"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the replays of a webhook, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description Values above 200 count as 200. */
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            replays: components["schemas"]["WebhookReplay"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replays/{replayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how far a replay has come */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    /** @description The ID of the replay. */
                    replayId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            replay: components["schemas"]["WebhookReplay"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Stop a replay */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                    /** @description The ID of the replay. */
                    replayId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done, without a body. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a new signing secret for a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["RotationInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description Signs the calls; shown only in this answer.
                             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
                             */
                            secret: string;
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the overlap of a secret rotation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            webhook: components["schemas"]["Webhook"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read recent delivery statistics of a webhook */
        get: {
            parameters: {
                query?: {
                    /** @description The fields to return for each item, separated by commas, with dots for nested fields: `id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other fields of the envelope. Unknown names are ignored; the ETag is that of the whole item. */
                    fields?: string;
                    /** @description The number of hours. Values above 720 count as 720. */
                    hours?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            stats: components["schemas"]["WebhookStats"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a sample event to a webhook */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the webhook. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["TestCallInput"];
                };
            };
            responses: {
                /** @description Accepted; processing continues in the background. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery: components["schemas"]["WebhookDelivery"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-icons/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an app's icon: `<sha256>.png` or `<sha256>.webp` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/shop.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the script of a shop’s live pages */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/wb.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the runtime of live pages, which starts apps' islands */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the list of guides */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a guide, the interactive reference, or one of its files */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    part: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/downloads/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an npm package */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/gzip": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether every service is ready */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            status: "ok";
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/islands/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an island's module: `<sha256>.js` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/islands/dev/{storeId}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an unreviewed module for pages of a development store: `<sha256>.js` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{storeId}/{assetId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the file of an asset */
        get: {
            parameters: {
                query?: {
                    /** @description With `w`: the format of the smaller version, instead of the file's own. */
                    format?: "webp" | "avif" | "jpeg" | "png";
                    /** @description The width of a smaller version of an image: 320, 480, 640, 960, 1280, 1920 pixels, but never wider than the original. */
                    w?: string;
                };
                header?: never;
                path: {
                    /** @description The ID of the media asset. */
                    assetId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Start the authorization of an app by a merchant (RFC 6749, 4.1.1) */
        get: {
            parameters: {
                query: {
                    /** @description The ID of the app. */
                    client_id: string;
                    /** @description PKCE: BASE64URL(SHA-256(verifier)). */
                    code_challenge: string;
                    /** @description `S256`. */
                    code_challenge_method: string;
                    /** @description An address registered by the app, exactly as written there. */
                    redirect_uri: string;
                    /** @description `code`. */
                    response_type: string;
                    /** @description Separated by spaces; by default the requests of the version to be installed. */
                    scope?: string;
                    /** @description Returned unchanged; at most 2000 characters. */
                    state?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: never;
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a token (RFC 7009) */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RevocationRequest"];
                    "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange a code or a refresh token for an access token */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TokenRequest"];
                    "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TokenAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the OpenAPI document */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @example 3.1.0 */
                            openapi: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{methodId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receive an event from a payment provider */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the payment method. */
                    methodId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, unknown>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a store's homepage */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a live page, the blog or the search in a locale, translated where possible */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /** Change the cart, or place an order, on pages in a locale */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": ({
                        /**
                         * @description `<productId>.<variantId>`: adds one unit of the variant.
                         * @example prd_01kakk9zg00000000000000000.var_01kakk9zg00000000000000000
                         */
                        buy?: string;
                        /**
                         * @description `checkout`: redirects to the checkout.
                         * @example checkout
                         */
                        next?: string;
                        /**
                         * @description The ID of a variant: removes its line.
                         * @example var_01kakk9zg00000000000000000
                         */
                        remove?: string;
                        /**
                         * @description Returns the page with these lines, and stores nothing.
                         * @example 1
                         */
                        show?: string;
                    } & {
                        [key: string]: string;
                    }) | ({
                        /** @example London */
                        city: string;
                        /**
                         * @description ISO 3166-1 alpha-2.
                         * @example GB
                         */
                        country: string;
                        /** @example ada@example.com */
                        email: string;
                        /**
                         * @description Forms with the same key create one order.
                         * @example 0b7a4c1e-6f0d-4f0e-9d59-2f6f4f5b6c11
                         */
                        key: string;
                        /** @example 12 St James’s Square */
                        line1: string;
                        /** @example  */
                        line2?: string;
                        /** @example Ada Lovelace */
                        name: string;
                        /** @example +44 20 7946 0000 */
                        phone?: string;
                        /** @example SW1Y 4JH */
                        postalCode?: string;
                        /** @example  */
                        region?: string;
                    } & {
                        [key: string]: string;
                    });
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/blog/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a published article in a locale, translated where possible */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/blog/category/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the published articles of a blog category in a locale */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/categories/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the page of a product category in a locale, translated where possible */
        get: {
            parameters: {
                query?: {
                    /** @description `asc` or `desc`. */
                    dir?: string;
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                    /** @description `relevance`, `number`, `name`, `price` or `created`; `<name>-desc` sorts in descending order. */
                    sort?: string;
                };
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/orders/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an order to its shopper, in a locale */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    locale: string;
                    storeSlug: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /** Pay an order again, or request a return, on a page in a locale */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    locale: string;
                    storeSlug: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": {
                        /**
                         * @description The ID of a payment method.
                         * @example pmm_01kakk9zg00000000000000000
                         */
                        payment: string;
                    } & {
                        [key: string]: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{locale}/products/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the page of an active product in a locale, translated where possible */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                    /** @description The ID of the selected variant. */
                    variant?: string;
                };
                header?: never;
                path: {
                    locale: string;
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A live page; the homepage in a locale that the store is translated into; `blog/`, the list of articles; `search`, the product search */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/blog/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a published article */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/blog/category/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the published articles of a blog category */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/cart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the cart */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /** Change the cart */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": {
                        /**
                         * @description `<productId>.<variantId>`: adds one unit of the variant.
                         * @example prd_01kakk9zg00000000000000000.var_01kakk9zg00000000000000000
                         */
                        buy?: string;
                        /**
                         * @description `checkout`: redirects to the checkout.
                         * @example checkout
                         */
                        next?: string;
                        /**
                         * @description The ID of a variant: removes its line.
                         * @example var_01kakk9zg00000000000000000
                         */
                        remove?: string;
                        /**
                         * @description Returns the page with these lines, and stores nothing.
                         * @example 1
                         */
                        show?: string;
                    } & {
                        [key: string]: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/categories/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the page of a product category */
        get: {
            parameters: {
                query?: {
                    /** @description `asc` or `desc`. */
                    dir?: string;
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                    /** @description `relevance`, `number`, `name`, `price` or `created`; `<name>-desc` sorts in descending order. */
                    sort?: string;
                };
                header?: never;
                path: {
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the checkout */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                };
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /** Place an order from a live page */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": {
                        /** @example London */
                        city: string;
                        /**
                         * @description ISO 3166-1 alpha-2.
                         * @example GB
                         */
                        country: string;
                        /** @example ada@example.com */
                        email: string;
                        /**
                         * @description Forms with the same key create one order.
                         * @example 0b7a4c1e-6f0d-4f0e-9d59-2f6f4f5b6c11
                         */
                        key: string;
                        /** @example 12 St James’s Square */
                        line1: string;
                        /** @example  */
                        line2?: string;
                        /** @example Ada Lovelace */
                        name: string;
                        /** @example +44 20 7946 0000 */
                        phone?: string;
                        /** @example SW1Y 4JH */
                        postalCode?: string;
                        /** @example  */
                        region?: string;
                    } & {
                        [key: string]: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/favicon.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the generated icon of a store that has chosen none */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/svg+xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/feed.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the Atom feed of a store’s newest articles */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/atom+xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/feeds/google.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store’s product feed for Google Merchant Center */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/feeds/meta.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store’s product feed for Meta’s catalogues */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/orders/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an order to its shopper */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /** Pay an order again, or request a return */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": {
                        /**
                         * @description The ID of a payment method.
                         * @example pmm_01kakk9zg00000000000000000
                         */
                        payment: string;
                    } & {
                        [key: string]: string;
                    };
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/products/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the page of an active product */
        get: {
            parameters: {
                query?: {
                    /** @description The page number, for lists with several pages. */
                    page?: number;
                    /** @description The search text, at `search` and `categories/{slug}`. */
                    q?: string;
                    /** @description The ID of the selected variant. */
                    variant?: string;
                };
                header?: never;
                path: {
                    slug: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store's robots.txt */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a store's sitemap */
        get: {
            parameters: {
                query?: {
                    part?: number;
                };
                header?: never;
                path: {
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{storeSlug}/theme-{hash}.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the style sheet of a store’s theme */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    hash: string;
                    storeSlug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/css": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/block-manifest.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the JSON Schema (2020-12) of block manifests */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/schema+json": {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/documents/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the PDF of a document */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/pdf": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/documents/{token}/xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the XML of an invoice or credit note */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/forms/{formId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a form of a live page */
        post: {
            parameters: {
                query?: {
                    /** @description The locale of the page, if not the store’s first. */
                    locale?: string;
                };
                header?: never;
                path: {
                    formId: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/x-www-form-urlencoded": {
                        [key: string]: unknown;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            formSubmission: components["schemas"]["FormSubmission"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Place an order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CheckoutInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["Order"];
                            payment: components["schemas"]["CheckoutPayment"] | null;
                            /**
                             * @description Anyone with the token can view the order: `GET /storefront/{storeId}/orders/{token}`.
                             * @example 01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9vYmFyYmF6cXV4MTIzNA
                             */
                            token: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/orders/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an order as its shopper */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            order: components["schemas"]["OrderReceipt"];
                            payment: components["schemas"]["CheckoutPayment"] | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/orders/{token}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pay the amount due of an order, again or by another method */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example pmm_01jd5w2k0q8v6m3n4p5r6s7t8v */
                        paymentMethodId: string;
                    };
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            payment: components["schemas"]["CheckoutPayment"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/orders/{token}/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a return of purchased items */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReturnInput"];
                };
            };
            responses: {
                /** @description Created. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            return: components["schemas"]["Return"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the payment methods that a shopper may choose */
        get: {
            parameters: {
                query?: {
                    /** @description ISO 3166-1 alpha-2. */
                    country?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
                    /** @description In minor units of the store’s currency. */
                    totalCents?: number;
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            paymentMethods: components["schemas"]["PaymentChoice"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the products of a shop front */
        get: {
            parameters: {
                query?: {
                    /** @description The `nextCursor` of the previous page, with the same filters. */
                    after?: string;
                    /** @description Only products in this category, by ID or slug. Can be repeated, at most 10 times; any of the categories matches. */
                    category?: string;
                    dir?: "asc" | "desc";
                    /** @description Whether to count the products for each value of other filters. A facet lists the 500 values with the most products; `truncated` marks facets with more. */
                    facets?: boolean;
                    /** @description `true`: only available products. Can be repeated, at most 250 times; any of the values matches. */
                    "filter[available]"?: string;
                    /** @description `<min>..<max>` in minor units, inclusive; either can be empty. Can be repeated, at most 20 times; any of the ranges matches. */
                    "filter[price]"?: string;
                    /** @description Only products with this tag. Can be repeated, at most 250 times; any of the values matches. */
                    "filter[tag]"?: string;
                    /** @description Only products of this vendor. Can be repeated, at most 250 times; any of the values matches. */
                    "filter[vendor]"?: string;
                    /** @description Values above 100 count as 100. */
                    limit?: number;
                    /** @description Every word must occur in the name, an SKU or a barcode, the vendor, a tag or the description: exactly, as a prefix, or, from four letters on, with one mistake, or two from eight on. Words after the first 10 different ones are ignored. */
                    q?: string;
                    /** @description By default `relevance` with `q`, else the category’s own order, else `number`. */
                    sort?: "relevance" | "number" | "name" | "price" | "created";
                };
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description The store’s currency, ISO 4217.
                             * @example EUR
                             */
                            currency: string;
                            facets?: ({
                                /** @example option.Size */
                                key: string;
                                /** @example Size */
                                name: string;
                                /**
                                 * @description True if more values exist, each with fewer products; else absent.
                                 * @example true
                                 */
                                truncated?: boolean;
                                values: {
                                    /** @example 12 */
                                    count: number;
                                    /** @example M */
                                    value: string;
                                }[];
                            } | {
                                /** @constant */
                                key: "price";
                                /** @example 4900 */
                                max: number;
                                /** @example 250 */
                                min: number;
                                /** @example Price */
                                name: string;
                            })[];
                            /** @description Null on the last page. */
                            nextCursor: string | null;
                            products: components["schemas"]["StorefrontListedProduct"][];
                            total: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/products/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a product of a storefront */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /**
                             * @description The store’s currency, ISO 4217.
                             * @example EUR
                             */
                            currency: string;
                            product: components["schemas"]["StorefrontProduct"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storefront/{storeId}/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calculate the price of a cart */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The ID of the store. */
                    storeId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["QuoteInput"];
                };
            };
            responses: {
                /** @description Success. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            quote: components["schemas"]["Quote"];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Address: {
            /** @example London */
            city: string;
            /**
             * @description ISO 3166-1 alpha-2.
             * @example GB
             */
            country: string;
            /** @example 12 St James’s Square */
            line1: string;
            /** @example  */
            line2: string;
            /** @example Ada Lovelace */
            name: string;
            /** @example SW1Y 4JH */
            postalCode: string;
            /** @example  */
            region: string;
        };
        AddressInput: {
            /** @description Empty by default. */
            city?: string;
            /**
             * @description ISO 3166-1 alpha-2, upper-case; empty by default.
             * @example GB
             * @enum {string}
             */
            country?: "" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
            /** @description Empty by default. */
            line1?: string;
            /** @description Empty by default. */
            line2?: string;
            /** @description Empty by default. */
            name?: string;
            /** @description Empty by default. */
            postalCode?: string;
            /** @description Empty by default. */
            region?: string;
        };
        ApiKey: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description The ID of a user. */
            createdBy: string;
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            lastUsedAt: string | null;
            name: string;
            /** @description The prefix of the secret. */
            prefix: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            revokedAt: string | null;
            scopes: string[];
        };
        App: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            description: string;
            iconUrl: string | null;
            /** @description Also its `client_id`. */
            id: string;
            installUrl: string | null;
            isListed: boolean;
            name: string;
            orgId: string;
            /**
             * Format: date-time
             * @description The time until which calls are also signed with the previous secret. Null if there is no overlap.
             */
            previousWebhookSecretExpiresAt: string | null;
            privacyUrl: string | null;
            redirectUris: string[];
            supportEmail: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            suspendedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            webhookSecretIssuedAt: string | null;
            webhookUrl: string | null;
            website: string | null;
        };
        AppData: {
            key: string;
            /** @enum {string} */
            owner: "site" | "product";
            /** @description The product's ID; null for values of the site. */
            ownerId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            value: string;
        };
        AppDataInput: {
            key: string;
            /**
             * @default site
             * @enum {string}
             */
            owner: "site" | "product";
            /** @description The product's ID; required if the owner is a product. */
            ownerId?: string | null;
            /** @description At most 8 KiB of UTF-8. */
            value: string;
        };
        AppDelivery: {
            /** @description The number of the latest attempt; 1 before the first has ended. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            deliveredAt: string | null;
            endpointId: string;
            eventId: string;
            /** @enum {string} */
            eventType: "app.installed" | "app.updated" | "app.disabled" | "app.enabled" | "app.uninstalled" | "payment.sessionRequested" | "payment.captureRequested" | "payment.refundRequested" | "payment.voidRequested";
            id: string;
            /** @description Whether it was requested as a test. */
            isTest: boolean;
            /** @description Empty if there is none. */
            lastError: string;
            lastStatusCode: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            nextAttemptAt: string | null;
            /** @enum {string} */
            status: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
        };
        AppInstall: {
            id: string;
            /**
             * Format: date-time
             * @description The time of the first install.
             */
            installedAt: string;
            /**
             * @description `disabled` by the merchant, `suspended` by the platform. An uninstalled app keeps its data.
             * @enum {string}
             */
            state: "installed" | "disabled" | "suspended" | "uninstalled";
            storeId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            versionId: string;
            versionNumber: number;
        };
        AppProfile: {
            /** @description The blocks it adds to the editor. */
            blocks: {
                /** @description The name of an icon; unknown names are possible. */
                icon: string | null;
                key: string;
                name: string;
            }[];
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            description: string;
            iconUrl: string | null;
            id: string;
            /** @description The number of stores with the app, at most about a minute old. */
            installs: number;
            installUrl: string | null;
            name: string;
            orgName: string;
            privacyUrl: string | null;
            /** @description The permissions it requests from merchants. */
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            supportEmail: string | null;
            website: string | null;
        };
        AppVersion: {
            appId: string;
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @description 1, 2, … within the app. */
            number: number;
            payments: {
                /** @example Example Pay */
                name: string;
            } | null;
            rejectionReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            reviewedAt: string | null;
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            /** @enum {string} */
            state: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            submittedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            withdrawnAt: string | null;
        };
        AppVersionDetails: {
            appId: string;
            blocks: components["schemas"]["Block"][];
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            islands: components["schemas"]["Island"][];
            /** @description 1, 2, … within the app. */
            number: number;
            payments: {
                /** @example Example Pay */
                name: string;
            } | null;
            rejectionReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            reviewedAt: string | null;
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            /** @enum {string} */
            state: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            submittedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            withdrawnAt: string | null;
        };
        Article: {
            /** @enum {string} */
            bodyType: "html" | "page";
            categoryIds: string[];
            /** @description HTML, sanitised on write. Empty if `bodyType` is `page`: the body is the document. */
            content: string;
            coverMedia: {
                id: string;
                url: string;
            } | null;
            coverMediaId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description Plain text. */
            excerpt: string;
            /** @description Whether a saved document differs from what is published. False if `hasDraft` is. */
            hasChanges: boolean;
            /** @description Whether a saved document is not yet published. False if `bodyType` is `html`. */
            hasDraft: boolean;
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            publishedAt: string | null;
            /** @description Unique within the store. */
            slug: string;
            /** @enum {string} */
            status: "draft" | "published";
            tags: string[];
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        ArticleChange: {
            /** @description Unknown IDs are dropped. */
            categoryIds?: string[];
            /** @description An unknown ID counts as null. */
            coverMediaId?: string | null;
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description Plain text. */
            excerpt?: string;
            /** @description A slug that is taken gets a number, as a derived slug does. */
            slug?: string;
            /** @enum {string} */
            status?: "draft" | "published";
            tags?: string[];
            title?: string;
        };
        ArticleInput: {
            /**
             * @description Only `html` can be written; `page` is rejected.
             * @enum {string}
             */
            bodyType?: "html" | "page";
            /** @description Unknown IDs are dropped. */
            categoryIds?: string[];
            /** @description HTML; sanitised. */
            content?: string;
            /** @description An unknown ID counts as null. */
            coverMediaId?: string | null;
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description Plain text. */
            excerpt?: string;
            /** @description A slug that is taken gets a number, as a derived slug does. */
            slug?: string;
            /** @enum {string} */
            status?: "draft" | "published";
            tags?: string[];
            title: string;
        };
        AuditEntry: {
            /**
             * @example apiKey.created
             * @enum {string}
             */
            action: "apiKey.created" | "apiKey.revoked" | "member.added" | "member.roleChanged" | "member.removed" | "invitation.created" | "invitation.accepted" | "invitation.withdrawn" | "store.created" | "store.updated" | "store.closed" | "domain.added" | "domain.activated" | "domain.deactivated" | "domain.removed" | "organisation.created" | "organisation.deleted" | "app.created" | "app.updated" | "app.secretReplaced" | "app.webhookSecretIssued" | "app.suspended" | "app.restored" | "app.deleted" | "app.installed" | "app.authorized" | "app.consented" | "app.rolledBack" | "app.disabled" | "app.enabled" | "app.uninstalled" | "appVersion.submitted" | "appVersion.recalled" | "appVersion.approved" | "appVersion.rejected" | "appVersion.withdrawn" | "appVersion.restored" | "appVersion.deleted" | "paymentMethod.created" | "paymentMethod.updated" | "paymentMethod.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secretRotated" | "webhook.rotationFinished" | "webhook.replayStarted" | "page.published" | "page.unpublished" | "page.deleted" | "section.published" | "template.published" | "template.deleted" | "theme.published" | "article.published" | "article.unpublished" | "article.deleted" | "order.statusChanged" | "order.cancelled" | "order.paymentChanged" | "order.fulfillmentChanged" | "order.paymentUrlChanged" | "payment.recorded" | "payment.captured" | "payment.voided" | "fulfillment.created" | "fulfillment.updated" | "refund.created" | "return.created" | "return.updated" | "customer.erased" | "customField.created" | "customField.updated" | "customField.deleted" | "discount.created" | "discount.updated" | "discount.deleted" | "discount.codesCreated" | "discount.codeWithdrawn" | "taxes.updated" | "shipping.updated" | "documents.updated" | "document.issued" | "note.deleted" | "mailTemplate.updated" | "mailTemplate.reset" | "mailSettings.updated" | "media.purged";
            actor: {
                /** @description Null for `system`. */
                id: string | null;
                /** @description The current name; null if it is no longer known. */
                name: string | null;
                /**
                 * @description `system` if no user, key or app triggered the change.
                 * @enum {string}
                 */
                type: "user" | "key" | "app" | "system";
            };
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /**
             * @description The names of the changed fields for `….updated` actions; otherwise empty.
             * @example []
             */
            changed: string[];
            id: string;
            /** @description The IP address that sent the request. */
            ip: string | null;
            /** @description The `X-Request-Id` of the request. */
            requestId: string | null;
            target: {
                id: string;
                /** @example Import */
                name: string | null;
                /**
                 * @example apiKey
                 * @enum {string}
                 */
                type: "apiKey" | "member" | "invitation" | "store" | "domain" | "organisation" | "app" | "appVersion" | "paymentMethod" | "webhook" | "page" | "section" | "template" | "theme" | "article" | "order" | "payment" | "fulfillment" | "refund" | "return" | "customer" | "customField" | "discount" | "taxes" | "shipping" | "documents" | "document" | "note" | "mailTemplate" | "mailSettings" | "media";
            };
        };
        Authorization: {
            /** @description PKCE, S256: BASE64URL(SHA-256(verifier)). */
            codeChallenge: string;
            /** @description The origins that its islands may connect to, in any order; none by default. */
            connectOrigins?: string[];
            /** @description The answer redirects with `error=access_denied`; nothing changes. */
            decline?: boolean;
            /** @description An address registered by the app. */
            redirectUri: string;
            /** @description The scopes that the version requests, in any order. */
            scopes: string[];
            /** @description Returned to the app unchanged. */
            state?: string;
        };
        AuthorizationCodeGrant: {
            /** @example app_01kakk9zg00000000000000000 */
            client_id?: string;
            /** @example q0v5mJ9x1Kc8b2Yd4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Y */
            client_secret?: string;
            /**
             * @description The code from the redirect; valid once within 60 seconds.
             * @example 3Kc8b2Yd4Rf6
             */
            code: string;
            /**
             * @description The verifier of the code challenge (RFC 7636).
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            code_verifier: string;
            /** @constant */
            grant_type: "authorization_code";
            /**
             * @description The same as in the authorization request.
             * @example https://example.com/callback
             */
            redirect_uri: string;
        };
        BatchRule: {
            maxEvents: number;
            maxSeconds: number;
        };
        BatchRulePatch: {
            maxEvents?: number;
            maxSeconds?: number;
        };
        /**
         * @example {
         *       "key": "stars",
         *       "name": "Stars",
         *       "icon": "star",
         *       "rootId": "root",
         *       "nodes": [
         *         {
         *           "id": "root",
         *           "type": "container",
         *           "children": [
         *             "words"
         *           ],
         *           "island": "stars"
         *         },
         *         {
         *           "id": "words",
         *           "type": "text",
         *           "props": {
         *             "specials": {
         *               "text": "No reviews yet"
         *             },
         *             "bindings": [
         *               {
         *                 "source": "app.rating",
         *                 "field": "specials.text"
         *               }
         *             ]
         *           }
         *         }
         *       ],
         *       "slots": [
         *         {
         *           "name": "words",
         *           "nodeId": "words"
         *         }
         *       ],
         *       "traits": [
         *         {
         *           "key": "words",
         *           "label": "Text",
         *           "attributes": [
         *             {
         *               "widget": "text",
         *               "slot": "words",
         *               "target": "specials",
         *               "writeKey": "text"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        Block: {
            /** @description Unknown names fall back to a default icon. */
            icon?: string;
            /** @description Part of the reference stored in merchants’ pages: never rename it. */
            key: string;
            /** @description Shown in the elements panel. */
            name: string;
            /** @description One tree, starting at rootId. */
            nodes: {
                /** @description IDs of nodes. */
                children?: string[];
                /** @description Unique within the block. */
                id: string;
                /** @description The name of an island that the version declares. */
                island?: string;
                props?: {
                    bindings?: {
                        /** @description For example `specials.text`. */
                        field: string;
                        /** @description `app.<key>`: a value of the app’s own data. */
                        source: string;
                    }[];
                    /** @description Settings other than CSS that can differ by width, by the keys of `writeKeys.config`. */
                    config?: {
                        /** @description For every width. */
                        base?: {
                            [key: string]: unknown;
                        };
                        /** @description For widths below 640 px. */
                        mobile?: {
                            [key: string]: unknown;
                        };
                        /** @description For widths below 992 px. */
                        tablet?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                    /** @description Content, by the keys of `writeKeys.specials`; the same in every width. */
                    specials?: {
                        [key: string]: unknown;
                    };
                    /** @description CSS, by the keys of `writeKeys.style`. */
                    style?: {
                        /** @description For every width. */
                        base?: {
                            [key: string]: unknown;
                        };
                        /** @description For widths below 640 px. */
                        mobile?: {
                            [key: string]: unknown;
                        };
                        /** @description For widths below 992 px. */
                        tablet?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
                /** @description An element type of the vocabulary. */
                type: string;
            }[];
            /** @description The root node of the block. */
            rootId: string;
            /** @description Names of inner nodes, so that traits can refer to them. */
            slots?: {
                name: string;
                nodeId: string;
            }[];
            /** @description The controls in the block’s toolbar. */
            traits?: {
                attributes: {
                    /** @description A name from `slots`, or `$root` for the root. */
                    slot: string;
                    /** @enum {string} */
                    target: "style" | "config" | "specials";
                    widget: string;
                    writeKey: string;
                }[];
                key: string;
                /** @description Shown in the block’s toolbar. */
                label: string;
            }[];
        };
        /** @description From the newest approved version with a lower number, and from this version; null if the version has no such block. */
        BlockRenderings: {
            after: {
                css: string;
                html: string;
            } | null;
            before: {
                css: string;
                html: string;
            } | null;
            /** @description Whether one of the two is too large to show. */
            isCut: boolean;
            key: string;
            name: string;
        };
        BlockUse: {
            /** @description Whether any kind has more places than listed. */
            hasMore: boolean;
            key: string;
            name: string;
            /** @description The live pages that show it, followed by the live articles. */
            pages: {
                id: string;
                name: string;
            }[];
            /** @description Pages, articles, sections and templates, in this order: at most 500 of each. */
            places: {
                /** @description Whether the saved, unpublished draft shows it. */
                draft: boolean;
                /** @description For a template: `tpl_` followed by its kind, which is also its name. */
                id: string;
                /** @description Whether visitors see it there; for a section, on a live page, in an article or in a template. */
                live: boolean;
                name: string;
                /** @enum {string} */
                type: "page" | "article" | "section" | "template";
            }[];
        };
        BlogCategory: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            name: string;
            parentId: string | null;
            /** @description The position among the categories of the same parent. */
            position: number;
            /** @description Unique within the store. */
            slug: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        BlogCategoryInput: {
            name: string;
            /** @description The parent category; null or omitted for a top-level category. */
            parentId?: string | null;
            /** @description The new position; past the end means the end. Omitted: the end, or the current position. */
            position?: number;
            slug: string;
        };
        Canvas: {
            problems: components["schemas"]["DocumentWarning"][];
            /** @description The sections, blocks, products, media, page addresses, app values, and texts in the locale. */
            sources: {
                [key: string]: unknown;
            };
        };
        CaptureInput: {
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            amountCents?: number;
        };
        CatalogueBlock: {
            appId: string;
            appName: string;
            icon: string | null;
            /** @description With `appId`, identifies the block in a `blockRef`. */
            key: string;
            name: string;
            nodes: {
                [key: string]: unknown;
            }[];
            rootId: string;
            slots: {
                [key: string]: unknown;
            }[];
            traits: {
                [key: string]: unknown;
            }[];
            versionId: string;
            versionNumber: number;
        };
        Category: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description HTML, sanitised on write.
             * @example <p>Strong.</p>
             */
            description: string;
            id: string;
            /** @example null */
            imageMediaId: string | null;
            /**
             * @example manual
             * @enum {string}
             */
            kind: "manual" | "rule";
            /** @example Black tea */
            name: string;
            /** @example null */
            parentId: string | null;
            /**
             * @description The position among its siblings, from 0.
             * @example 0
             */
            position: number;
            /**
             * @description The number of products, in any status.
             * @example 12
             */
            productsCount: number;
            /** @example null */
            rule: components["schemas"]["MembershipRule"] | null;
            seo: components["schemas"]["Seo"];
            /** @example black-tea */
            slug: string;
            sort: components["schemas"]["CategorySort"];
            /**
             * @description Whether more products match the rule than the category contains, because the store’s rules have reached their limit of products.
             * @example false
             */
            truncated: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        CategoryInput: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description HTML; sanitised. */
            description?: string;
            /**
             * @description An unknown ID becomes null.
             * @example mda_01kakk9zg00000000000000000
             */
            imageMediaId?: string | null;
            /**
             * @description `manual` by default; cannot be changed later.
             * @enum {string}
             */
            kind?: "manual" | "rule";
            name: string;
            /** @description Null for a root category. */
            parentId?: string | null;
            /** @description The position among its siblings. Shifts the others; positions past the end mean the end. */
            position?: number;
            /** @example null */
            rule?: components["schemas"]["MembershipRule"] | null;
            seo?: {
                /** @example Black tea with oil of bergamot. */
                description?: string;
                /**
                 * @description An unknown ID becomes null.
                 * @example mda_01kakk9zg00000000000000000
                 */
                imageMediaId?: string | null;
                /** @example Earl Grey, loose leaf */
                title?: string;
            };
            slug?: string;
            sort?: {
                /**
                 * @example manual
                 * @enum {string}
                 */
                by?: "manual" | "name" | "price" | "created";
                /**
                 * @example asc
                 * @enum {string}
                 */
                dir?: "asc" | "desc";
            };
        };
        CategoryPatch: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description HTML; sanitised. */
            description?: string;
            /**
             * @description An unknown ID becomes null.
             * @example mda_01kakk9zg00000000000000000
             */
            imageMediaId?: string | null;
            /**
             * @description `manual` by default; cannot be changed later.
             * @enum {string}
             */
            kind?: "manual" | "rule";
            name?: string;
            /** @description Null for a root category. */
            parentId?: string | null;
            /** @description The position among its siblings. Shifts the others; positions past the end mean the end. */
            position?: number;
            rule?: components["schemas"]["MembershipRulePatch"] | null;
            seo?: {
                /** @example Black tea with oil of bergamot. */
                description?: string;
                /**
                 * @description An unknown ID becomes null.
                 * @example mda_01kakk9zg00000000000000000
                 */
                imageMediaId?: string | null;
                /** @example Earl Grey, loose leaf */
                title?: string;
            };
            slug?: string;
            sort?: {
                /**
                 * @example manual
                 * @enum {string}
                 */
                by?: "manual" | "name" | "price" | "created";
                /**
                 * @example asc
                 * @enum {string}
                 */
                dir?: "asc" | "desc";
            };
        };
        CategoryProducts: {
            productIds: string[];
        };
        CategoryProductsChange: {
            add?: string[];
            remove?: string[];
        };
        CategoryRulePreview: {
            /** @default 10 */
            limit: number;
            rule: components["schemas"]["MembershipRule"];
        };
        CategorySort: {
            /**
             * @example manual
             * @enum {string}
             */
            by: "manual" | "name" | "price" | "created";
            /**
             * @example asc
             * @enum {string}
             */
            dir: "asc" | "desc";
        };
        CheckoutInput: {
            customer: {
                /**
                 * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                 * @example ann@example.com
                 */
                email: string;
                name: string;
                phone?: string | null;
                shippingAddress?: components["schemas"]["AddressInput"] | null;
            };
            /**
             * @description As the shopper typed them.
             * @example [
             *       "SPRING"
             *     ]
             */
            discountCodes?: string[] | null;
            /**
             * @description The total shown to the buyer: with any other total no order is placed, `409 total_changed`.
             * @example 1780
             */
            expectedTotalCents?: number | null;
            /** @description A variant that occurs twice becomes one line item; the maximum quantity of each is set by the store, at most 999. */
            items: {
                quantity: number;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /**
             * @description The language in which the order is placed, BCP 47.
             * @example de
             */
            locale?: string | null;
            /**
             * @description A method from `GET /storefront/{storeId}/payment-methods`. Required if there are methods to choose from and the total is above 0.
             * @example pmm_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            paymentMethodId?: string | null;
            /**
             * @description By default the cheapest rate offered other than pickup.
             * @example shr_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            shippingRateId?: string | null;
            /**
             * @description The VAT ID of the buyer’s business.
             * @example FR40303265045
             */
            vatId?: string | null;
        };
        CheckoutPayment: {
            id: string;
            /**
             * @description The URL where the shopper pays; null if nothing is to be paid at a provider, or the URL is not yet known.
             * @example https://checkout.stripe.com/c/pay/cs_test_a1
             */
            redirectUrl: string | null;
            /** @enum {string} */
            status: "pending" | "authorized" | "captured" | "partially_refunded" | "refunded" | "voided" | "failed" | "disputed";
        };
        CheckoutSettings: {
            /** @description Days after which any other open, unfulfilled order with a pending payment is cancelled and its stock restored, including orders placed before the setting. 0: never. */
            expireManualAfterDays: number;
            /** @description Minutes after which an order with an open payment at a provider is cancelled and its stock restored. 0: never. Takes effect once the store accepts payments through a provider; until then `expireManualAfterDays` applies to every unpaid order. */
            expireUnpaidAfterMinutes: number;
            /** @description The maximum quantity of one variant in an order. */
            maxQuantity: number;
            /**
             * @description Refunds above this amount, in minor units of the store’s currency, require the role `admin`. Null: no limit.
             * @example null
             */
            refundLimitCents: number | null;
            /** @description Days after delivery during which shoppers can request a return. 0: never. */
            returnDays: number;
        };
        ContentWarning: {
            /** @enum {string} */
            code: "script_removed" | "embed_removed" | "form_removed" | "link_removed" | "title_removed";
            /** @description The number of removals. */
            count: number;
            message: string;
        };
        Customer: {
            addresses: components["schemas"]["Address"][];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description Lower-case, unique within the store.
             * @example ada@example.com
             */
            email: string;
            id: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description The number of orders that are not cancelled.
             * @example 1
             */
            ordersCount: number;
            /** @example +44 20 7946 0000 */
            phone: string | null;
            /**
             * @example [
             *       "regular"
             *     ]
             */
            tags: string[];
            /**
             * @description The captured amount less the refunded amount over all orders.
             * @example 1780
             */
            totalSpentCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        CustomerExport: {
            customer: components["schemas"]["Customer"];
            /** @description Invoices, credit notes and packing slips. Issued documents are kept after an erasure. */
            documents: {
                /** @description The buyer’s details on the document. */
                buyer: {
                    address: components["schemas"]["Address"] | null;
                    country: string;
                    email: string;
                    name: string;
                    /** @example DE123456789 */
                    vatId: string | null;
                };
                id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:00:00.000Z
                 */
                issuedAt: string;
                /** @enum {string} */
                kind: "invoice" | "creditNote" | "packingSlip";
                /**
                 * @description Sequential without gaps for each store and kind; null for a packing slip.
                 * @example INV-2026-17
                 */
                number: string | null;
                orderId: string;
                /**
                 * @description For a credit note, the refund that it documents.
                 * @example null
                 */
                refundId: string | null;
                /**
                 * @description The URL of the PDF. It cannot be guessed and needs no credential.
                 * @example https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea
                 */
                url: string;
                /**
                 * @description The URL of the invoice as XML (EN 16931), which the PDF also contains; null for packing slips and for currencies with three decimals.
                 * @example https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea/xml
                 */
                xmlUrl: string | null;
            }[];
            /** @description The stored events about the customer and these orders, oldest first. */
            events: {
                createdAt: string;
                id: string;
                type: string;
            }[];
            /** @description Form submissions from the customer’s e-mail addresses. */
            formSubmissions: components["schemas"]["FormSubmission"][];
            fulfillments: components["schemas"]["Fulfillment"][];
            /** @description The merchant’s private note. */
            note: string;
            /** @description The members’ notes on the orders. */
            orderNotes: {
                createdAt: string;
                id: string;
                orderId: string;
                /** @example Call before delivery. */
                text: string;
            }[];
            /** @description Oldest first. */
            orders: components["schemas"]["Order"][];
            payments: components["schemas"]["Payment"][];
            refunds: components["schemas"]["Refund"][];
            returns: components["schemas"]["Return"][];
        };
        CustomerInput: {
            addresses?: components["schemas"]["AddressInput"][];
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /**
             * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
             * @example ann@example.com
             */
            email: string;
            name?: string;
            phone?: string | null;
            tags?: string[];
        };
        CustomField: {
            /**
             * @description The app that created the field; its values are under `<appId>/<key>`.
             * @example null
             */
            appId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @example product
             * @enum {string}
             */
            entity: "product" | "variant" | "category" | "customer" | "order" | "page" | "article";
            id: string;
            /**
             * @description Whether shoppers can filter by it. Only for products and variants, and not for `longText` and `richText`.
             * @example false
             */
            isFilterable: boolean;
            /** @example material */
            key: string;
            /** @example Material */
            name: string;
            /**
             * @description The choices of `select` and `multiSelect`.
             * @example []
             */
            options: string[];
            rules: components["schemas"]["CustomFieldRules"];
            /**
             * @example text
             * @enum {string}
             */
            type: "text" | "longText" | "richText" | "integer" | "decimal" | "boolean" | "date" | "instant" | "url" | "color" | "select" | "multiSelect" | "media" | "product" | "list";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description `public`: shops, pages and feeds show the values.
             * @example public
             * @enum {string}
             */
            visibility: "private" | "public";
        };
        CustomFieldInput: {
            /**
             * @example product
             * @enum {string}
             */
            entity: "product" | "variant" | "category" | "customer" | "order" | "page" | "article";
            /** @description Only for products and variants, and not for `longText` and `richText`. */
            isFilterable?: boolean;
            /** @example material */
            key: string;
            /** @example Material */
            name: string;
            /**
             * @description The choices of `select` and `multiSelect`; at least one.
             * @example []
             */
            options?: string[];
            rules?: {
                max?: number | null;
                min?: number | null;
                /** @example ^[A-Z] */
                pattern?: string | null;
                required?: boolean;
            };
            /**
             * @example text
             * @enum {string}
             */
            type: "text" | "longText" | "richText" | "integer" | "decimal" | "boolean" | "date" | "instant" | "url" | "color" | "select" | "multiSelect" | "media" | "product" | "list";
            /**
             * @description `private` by default.
             * @enum {string}
             */
            visibility?: "private" | "public";
        };
        CustomFieldPatch: {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            entity?: "product" | "variant" | "category" | "customer" | "order" | "page" | "article";
            /** @description Only for products and variants, and not for `longText` and `richText`. */
            isFilterable?: boolean;
            /** @description Cannot be changed later. */
            key?: string;
            /** @example Material */
            name?: string;
            /**
             * @description The choices of `select` and `multiSelect`; at least one.
             * @example []
             */
            options?: string[];
            rules?: {
                max?: number | null;
                min?: number | null;
                /** @example ^[A-Z] */
                pattern?: string | null;
                required?: boolean;
            };
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            type?: "text" | "longText" | "richText" | "integer" | "decimal" | "boolean" | "date" | "instant" | "url" | "color" | "select" | "multiSelect" | "media" | "product" | "list";
            /**
             * @description `private` by default.
             * @enum {string}
             */
            visibility?: "private" | "public";
        };
        CustomFieldRules: {
            /**
             * @description For numbers, the value; for texts and lists, the length.
             * @example null
             */
            max: number | null;
            /**
             * @description For numbers, the value; for texts and lists, the length.
             * @example null
             */
            min: number | null;
            /**
             * @description A regular expression that matches anywhere in the text.
             * @example null
             */
            pattern: string | null;
            /**
             * @description Checked when an item is created and when its value is removed.
             * @example false
             */
            required: boolean;
        };
        CustomFieldsOfOrder: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields: {
                [key: string]: unknown;
            };
        };
        DevelopmentStore: {
            checkout: components["schemas"]["CheckoutSettings"];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description The number of decimals of the currency by ISO 4217: amounts are in its minor unit.
             * @example 2
             */
            currencyExponent: number;
            /**
             * @description A picture from the store’s media library; browsers show it beside page titles.
             * @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            faviconMediaId: string | null;
            id: string;
            /** @description Whether the store belongs to an app developer’s organisation, and can install unreviewed versions. */
            isDevelopment: boolean;
            /**
             * @description The languages of the store, BCP 47: first the original language, then the languages with addresses of their own. Null: English, and the first 20 languages with translations.
             * @example [
             *       "en",
             *       "de",
             *       "pt-BR"
             *     ]
             */
            locales: string[] | null;
            name: string;
            /**
             * @description The caller's role.
             * @enum {string|null}
             */
            role: "viewer" | "editor" | "admin" | "owner" | null;
            /** @description Unique among all stores. */
            slug: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description The address of the store for visitors.
             * @example https://tea-house.example/
             */
            url: string;
        };
        Discount: {
            /** @example 500 */
            amountCents: number | null;
            appliesTo: {
                /** @description For `products` and `categories`. */
                ids?: string[];
                /** @enum {string} */
                kind: "order" | "products" | "categories" | "tags";
                /**
                 * @description For `tags`.
                 * @example [
                 *       "sale"
                 *     ]
                 */
                tags?: string[];
            } | null;
            buy: {
                appliesTo: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /** @example 2 */
                quantity: number;
            } | null;
            /**
             * @description Null if the discount applies automatically, or through single-use codes.
             * @example SPRING
             */
            code: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            endsAt: string | null;
            get: {
                appliesTo: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /**
                 * @description From 0 to 100, with at most four decimals.
                 * @example 100
                 */
                percent: string;
                /** @example 2 */
                quantity: number;
            } | null;
            id: string;
            /** @example false */
            isCombinable: boolean;
            /** @enum {string} */
            kind: "percentage" | "amount" | "freeShipping" | "buyXGetY";
            limits: {
                /**
                 * @description Counted by e-mail address.
                 * @example 1
                 */
                perCustomer: number | null;
                /** @example 100 */
                total: number | null;
            };
            minimum: {
                /** @example 2 */
                quantity: number | null;
                /** @example 5000 */
                subtotalCents: number | null;
            };
            /**
             * @description From 0 to 100, with at most four decimals.
             * @example 12.5
             */
            percent: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            startsAt: string | null;
            /** @enum {string} */
            status: "active" | "disabled";
            /** @example Spring sale */
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /** @example 3 */
            usedCount: number;
        };
        DiscountEstimate: {
            /** @description ISO 4217. */
            currency: string;
            estimate: {
                /**
                 * @description The total discount it would have given.
                 * @example 45600
                 */
                discountCents: number;
                /** @description False if there were too many orders to examine; the result then covers the newest. */
                isComplete: boolean;
                /** @example 412 */
                orders: number;
                /** @example 57 */
                ordersWithDiscount: number;
                /**
                 * @description The total of all these orders, as placed.
                 * @example 1234500
                 */
                totalCents: number;
            };
        };
        DiscountEstimateInput: {
            /**
             * @description The number of past days; 30 by default.
             * @example 30
             */
            days?: number;
            discount: components["schemas"]["DiscountInput"];
        };
        /**
         * @example {
         *       "title": "Spring sale",
         *       "code": "SPRING",
         *       "status": "active",
         *       "kind": "percentage",
         *       "percent": "12.5",
         *       "appliesTo": {
         *         "kind": "order"
         *       },
         *       "minimum": {
         *         "subtotalCents": 5000
         *       },
         *       "limits": {
         *         "total": 100,
         *         "perCustomer": 1
         *       },
         *       "isCombinable": false
         *     }
         */
        DiscountInput: {
            /** @example 500 */
            amountCents?: number | null;
            appliesTo?: {
                /** @description For `products` and `categories`. */
                ids?: string[];
                /** @enum {string} */
                kind?: "order" | "products" | "categories" | "tags";
                /**
                 * @description For `tags`.
                 * @example [
                 *       "sale"
                 *     ]
                 */
                tags?: string[];
            } | null;
            buy?: {
                appliesTo?: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind?: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /** @example 2 */
                quantity?: number;
            } | null;
            /**
             * @description Visible characters; compared without regard to case and diacritics.
             * @example SPRING
             */
            code?: string | null;
            /**
             * @description RFC 3339.
             * @example 2026-12-01T00:00:00.000Z
             */
            endsAt?: string | null;
            get?: {
                appliesTo?: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind?: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /**
                 * @description From 0 to 100, with at most four decimals.
                 * @example 100
                 */
                percent?: string;
                /** @example 2 */
                quantity?: number;
            } | null;
            /** @example false */
            isCombinable?: boolean;
            /** @enum {string} */
            kind: "percentage" | "amount" | "freeShipping" | "buyXGetY";
            limits?: {
                /**
                 * @description Counted by e-mail address.
                 * @example 1
                 */
                perCustomer?: number | null;
                /** @example 100 */
                total?: number | null;
            } | null;
            minimum?: {
                /** @example 2 */
                quantity?: number | null;
                /** @example 5000 */
                subtotalCents?: number | null;
            } | null;
            /**
             * @description From 0 to 100, with at most four decimals.
             * @example 12.5
             */
            percent?: string | null;
            /**
             * @description RFC 3339.
             * @example 2026-12-01T00:00:00.000Z
             */
            startsAt?: string | null;
            /** @enum {string} */
            status?: "active" | "disabled";
            /** @example Spring sale */
            title: string;
        };
        DiscountPatch: {
            /** @example 500 */
            amountCents?: number | null;
            appliesTo?: {
                /** @description For `products` and `categories`. */
                ids?: string[];
                /** @enum {string} */
                kind?: "order" | "products" | "categories" | "tags";
                /**
                 * @description For `tags`.
                 * @example [
                 *       "sale"
                 *     ]
                 */
                tags?: string[];
            } | null;
            buy?: {
                appliesTo?: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind?: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /** @example 2 */
                quantity?: number;
            } | null;
            /**
             * @description Visible characters; compared without regard to case and diacritics.
             * @example SPRING
             */
            code?: string | null;
            /**
             * @description RFC 3339.
             * @example 2026-12-01T00:00:00.000Z
             */
            endsAt?: string | null;
            get?: {
                appliesTo?: {
                    /** @description For `products` and `categories`. */
                    ids?: string[];
                    /** @enum {string} */
                    kind?: "order" | "products" | "categories" | "tags";
                    /**
                     * @description For `tags`.
                     * @example [
                     *       "sale"
                     *     ]
                     */
                    tags?: string[];
                };
                /**
                 * @description From 0 to 100, with at most four decimals.
                 * @example 100
                 */
                percent?: string;
                /** @example 2 */
                quantity?: number;
            } | null;
            /** @example false */
            isCombinable?: boolean;
            /** @enum {string} */
            kind?: "percentage" | "amount" | "freeShipping" | "buyXGetY";
            limits?: {
                /**
                 * @description Counted by e-mail address.
                 * @example 1
                 */
                perCustomer?: number | null;
                /** @example 100 */
                total?: number | null;
            } | null;
            minimum?: {
                /** @example 2 */
                quantity?: number | null;
                /** @example 5000 */
                subtotalCents?: number | null;
            } | null;
            /**
             * @description From 0 to 100, with at most four decimals.
             * @example 12.5
             */
            percent?: string | null;
            /**
             * @description RFC 3339.
             * @example 2026-12-01T00:00:00.000Z
             */
            startsAt?: string | null;
            /** @enum {string} */
            status?: "active" | "disabled";
            /** @example Spring sale */
            title?: string;
        };
        /**
         * @description At most 5,000 nodes and 1 MiB; its vocabulary is at `/api/stores/{storeId}/vocabulary`.
         * @example {
         *       "rootId": "top",
         *       "nodes": [
         *         {
         *           "id": "top",
         *           "type": "section",
         *           "children": [
         *             "title",
         *             "words",
         *             "stars"
         *           ]
         *         },
         *         {
         *           "id": "title",
         *           "type": "heading",
         *           "props": {
         *             "specials": {
         *               "text": "Tea, and nothing else",
         *               "level": 1
         *             }
         *           }
         *         },
         *         {
         *           "id": "words",
         *           "type": "text",
         *           "props": {
         *             "style": {
         *               "base": {
         *                 "color": "#334433"
         *               }
         *             },
         *             "specials": {
         *               "text": "Picked by hand, sent within a week."
         *             }
         *           }
         *         },
         *         {
         *           "id": "stars",
         *           "type": "blockRef",
         *           "props": {
         *             "specials": {
         *               "appId": "app_01kakk9zg00000000000000000",
         *               "blockKey": "stars"
         *             },
         *             "settings": {
         *               "$root": {
         *                 "specials": {
         *                   "text": "What others say"
         *                 }
         *               }
         *             }
         *           }
         *         }
         *       ]
         *     }
         */
        Document: {
            /** @description One tree, starting at `rootId`; at most 5,000 nodes. */
            nodes: components["schemas"]["DocumentNode"][];
            /** @description The root of all other nodes. */
            rootId: string;
        } & {
            [key: string]: unknown;
        };
        DocumentInput: {
            /**
             * @example invoice
             * @enum {string}
             */
            kind: "invoice" | "creditNote" | "packingSlip";
            /**
             * @description For a credit note, the refund that it documents.
             * @example null
             */
            refundId?: string | null;
        };
        DocumentNode: {
            /** @description IDs of nodes, in order. */
            children?: string[] | null;
            /** @description Unique within the document. */
            id: string;
            /** @description The node’s name in the editor. Visitors never see it. */
            label?: string | null;
            props?: ({
                /** @description Settings other than CSS that can differ by width, by the keys of `writeKeys.config`. */
                config?: {
                    /** @description For every width. */
                    base?: {
                        [key: string]: unknown;
                    };
                    /** @description For widths below 640 px; absent keys have their values of `tablet`. */
                    mobile?: {
                        [key: string]: unknown;
                    };
                    /** @description For widths below 992 px; absent keys have their values of `base`. */
                    tablet?: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
                /** @description For a `blockRef`: the merchant’s settings, by the block’s slots. */
                settings?: {
                    [key: string]: {
                        /** @description Settings other than CSS that can differ by width, by the keys of `writeKeys.config`. */
                        config?: {
                            /** @description For every width. */
                            base?: {
                                [key: string]: unknown;
                            };
                            /** @description For widths below 640 px; absent keys have their values of `tablet`. */
                            mobile?: {
                                [key: string]: unknown;
                            };
                            /** @description For widths below 992 px; absent keys have their values of `base`. */
                            tablet?: {
                                [key: string]: unknown;
                            };
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Content, by the keys of `writeKeys.specials`; the same in every width. */
                        specials?: {
                            [key: string]: unknown;
                        };
                        /** @description CSS, by the keys of `writeKeys.style`. */
                        style?: {
                            /** @description For every width. */
                            base?: {
                                [key: string]: unknown;
                            };
                            /** @description For widths below 640 px; absent keys have their values of `tablet`. */
                            mobile?: {
                                [key: string]: unknown;
                            };
                            /** @description For widths below 992 px; absent keys have their values of `base`. */
                            tablet?: {
                                [key: string]: unknown;
                            };
                        } & {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
                /** @description Content, by the keys of `writeKeys.specials`; the same in every width. */
                specials?: {
                    [key: string]: unknown;
                };
                /** @description CSS, by the keys of `writeKeys.style`. */
                style?: {
                    /** @description For every width. */
                    base?: {
                        [key: string]: unknown;
                    };
                    /** @description For widths below 640 px; absent keys have their values of `tablet`. */
                    mobile?: {
                        [key: string]: unknown;
                    };
                    /** @description For widths below 992 px; absent keys have their values of `base`. */
                    tablet?: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description An element type of the vocabulary, or `blockRef` (`props.specials`: `appId`, `blockKey`) or `sectionRef` (`props.specials`: `sectionId`). */
            type: string;
        } & {
            [key: string]: unknown;
        };
        DocumentSeller: {
            /** @example London */
            city: string;
            /**
             * @description ISO 3166-1 alpha-2.
             * @example GB
             * @enum {string}
             */
            country: "" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
            /** @example billing@adas-teas.example */
            email: string;
            /** @example 12 St James’s Square */
            line1: string;
            /** @example  */
            line2: string;
            /** @example Ada’s Teas Ltd. */
            name: string;
            /** @example SW1Y 4JH */
            postalCode: string;
            /** @example  */
            region: string;
            /** @example 12/345/67890 */
            taxNumber: string;
            /** @example GB980780684 */
            vatId: string;
        };
        DocumentSettings: {
            /**
             * @description How to pay by transfer.
             * @example IBAN DE02 1203 0000 0000 2020 51
             */
            bank: string;
            /**
             * @description Contains `{number}` and, optionally, `{year}`.
             * @example CN-{year}-{number}
             */
            creditNotePattern: string;
            /**
             * @description Printed at the foot of each page.
             * @example Registered in London, no. 1234567
             */
            footer: string;
            /**
             * @description Contains `{number}` and, optionally, `{year}`.
             * @example INV-{year}-{number}
             */
            invoicePattern: string;
            /**
             * @description `automatic`: an invoice is issued when an order is paid, and a credit note when an order with an invoice is refunded.
             * @example manual
             * @enum {string}
             */
            invoices: "automatic" | "manual";
            /**
             * @description The language of documents whose order has none; BCP 47.
             * @example en
             */
            locale: string;
            /**
             * @description An image from the media library.
             * @example null
             */
            logoMediaId: string | null;
            seller: components["schemas"]["DocumentSeller"];
        };
        DocumentSettingsInput: {
            /**
             * @description How to pay by transfer.
             * @example IBAN DE02 1203 0000 0000 2020 51
             */
            bank?: string | null;
            /**
             * @description Contains `{number}` and, optionally, `{year}`.
             * @example CN-{year}-{number}
             */
            creditNotePattern?: string;
            /**
             * @description Printed at the foot of each page.
             * @example Registered in London, no. 1234567
             */
            footer?: string | null;
            /**
             * @description Contains `{number}` and, optionally, `{year}`.
             * @example INV-{year}-{number}
             */
            invoicePattern?: string;
            /**
             * @description `automatic`: an invoice is issued when an order is paid, and a credit note when an order with an invoice is refunded.
             * @example manual
             * @enum {string}
             */
            invoices?: "automatic" | "manual";
            /**
             * @description The language of documents whose order has none; BCP 47.
             * @example en
             */
            locale?: string;
            /**
             * @description An image from the media library.
             * @example null
             */
            logoMediaId?: string | null;
            seller?: {
                /** @example London */
                city?: string | null;
                /**
                 * @description ISO 3166-1 alpha-2.
                 * @example GB
                 * @enum {string|null}
                 */
                country?: "" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | null;
                /** @example billing@adas-teas.example */
                email?: string | null;
                /** @example 12 St James’s Square */
                line1?: string | null;
                /** @example  */
                line2?: string | null;
                /** @example Ada’s Teas Ltd. */
                name?: string | null;
                /** @example SW1Y 4JH */
                postalCode?: string | null;
                /** @example  */
                region?: string | null;
                /** @example 12/345/67890 */
                taxNumber?: string | null;
                /** @example GB980780684 */
                vatId?: string | null;
            };
        };
        DocumentWarning: {
            code: string;
            message: string;
            /** @description An RFC 6901 pointer into the sent body. */
            pointer: string;
        };
        Domain: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description The hostname in DNS form.
             * @example shop.example.com
             */
            hostname: string;
            id: string;
            /**
             * @description `active`: the store is shown there. `pending`: its DNS record was not found, or is no longer found.
             * @enum {string}
             */
            state: "pending" | "active";
            /** @description The TXT record to create and keep. */
            txt: {
                /** @example _waybill.shop.example.com */
                name: string;
                /** @example waybill-verification=5f0c… */
                value: string;
            };
        };
        /** @description The last save, even if published since. Null if the document was not saved, or was saved long ago. */
        DraftState: {
            /** @description Changes whenever the document to edit changes. */
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            savedAt: string | null;
            /** @description The ID of a user. */
            savedBy: string | null;
        };
        Error: {
            /** @description A stable code for programs. */
            code: string;
            details?: {
                message: string;
                /** @description An RFC 6901 pointer into the body. */
                pointer: string;
            }[];
            /** @description A message for people; its wording may change. */
            error: string;
            /** @description For a 403: the missing permission. */
            permission?: string;
        };
        Event: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description As described by `GET /api/v1/event-types`; only the ID for readers without permission for that kind of resource. */
            data: {
                [key: string]: unknown;
            };
            /** @description The same ID as in calls: `webhook-id`. */
            id: string;
            /** @enum {string} */
            type: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
        };
        /**
         * @example {
         *       "type": "product.deleted",
         *       "description": "A product was removed.",
         *       "schema": {
         *         "type": "object",
         *         "anyOf": [
         *           {
         *             "type": "object",
         *             "required": [
         *               "product"
         *             ],
         *             "properties": {
         *               "product": {
         *                 "type": "object",
         *                 "required": [
         *                   "id",
         *                   "number",
         *                   "slug"
         *                 ],
         *                 "properties": {
         *                   "id": {
         *                     "type": "string",
         *                     "pattern": "^prd_[0-9a-hjkmnp-tv-z]{26}$"
         *                   },
         *                   "number": {
         *                     "type": "integer",
         *                     "minimum": 1,
         *                     "description": "Sequential within the store."
         *                   },
         *                   "slug": {
         *                     "type": "string",
         *                     "examples": [
         *                       "earl-grey"
         *                     ]
         *                   }
         *                 }
         *               }
         *             }
         *           },
         *           {
         *             "type": "object",
         *             "required": [
         *               "product"
         *             ],
         *             "properties": {
         *               "product": {
         *                 "type": "object",
         *                 "required": [
         *                   "id"
         *                 ],
         *                 "properties": {
         *                   "id": {
         *                     "type": "string",
         *                     "pattern": "^prd_[0-9a-hjkmnp-tv-z]{26}$"
         *                   }
         *                 },
         *                 "additionalProperties": false
         *               }
         *             },
         *             "additionalProperties": false,
         *             "description": "For readers without the permission products.read."
         *           }
         *         ]
         *       },
         *       "sample": {
         *         "product": {
         *           "id": "prd_01kakk9zg00000000000000000",
         *           "number": 1,
         *           "slug": "earl-grey"
         *         }
         *       }
         *     }
         */
        EventTypeDescription: {
            /** @description When the event is sent. */
            description: string;
            /** @description A complete `data`, the same as in test calls. */
            sample: {
                [key: string]: unknown;
            };
            /** @description JSON Schema (2020-12) of `data`: complete, or only the ID for readers without permission. The `webhooks` of this document contain the same schemas. */
            schema: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            type: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
        };
        FailureAlertRule: {
            /** @description Attempts count from the time at which alerts were set. */
            minutes: number;
            percent: number;
        };
        FailureAlertRulePatch: {
            /** @description Attempts count from the time at which alerts were set. */
            minutes?: number;
            percent?: number;
        };
        FormSubmission: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Identifies the page and the form on it; opaque.
             * @example contact
             */
            formId: string;
            id: string;
            /**
             * @description Null if the form is in an article or a template.
             * @example pag_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            pageId: string | null;
            /**
             * @description Values by the names of the form’s fields.
             * @example {
             *       "email": "ada@example.com",
             *       "message": "Do you sell oolong?"
             *     }
             */
            values: {
                [key: string]: unknown;
            };
        };
        Fulfillment: {
            /**
             * @description The carrier.
             * @example dhl
             */
            carrier: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            lines: {
                /** @example 2 */
                quantity: number;
                variantId: string;
            }[];
            orderId: string;
            /** @enum {string} */
            status: "shipped" | "delivered" | "cancelled";
            /**
             * @description The carrier’s tracking number.
             * @example 00340434161094042557
             */
            trackingNumber: string | null;
            /**
             * @description The page where the customer tracks it; derived from the number for known carriers.
             * @example https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340434161094042557
             */
            trackingUrl: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        FulfillmentInput: {
            /**
             * @description Any name; for known carriers, `trackingUrl` is derived from the number.
             * @example dhl
             */
            carrier?: string | null;
            /** @description By default everything that is left. */
            lines?: {
                /** @example 2 */
                quantity: number;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
            /** @example 00340434161094042557 */
            trackingNumber?: string | null;
            /**
             * @description http or https. Overrides the URL of a known carrier; null restores it.
             * @example https://track.example/00340434161094042557
             */
            trackingUrl?: string | null;
        };
        FulfillmentPatch: {
            /**
             * @description Any name; for known carriers, `trackingUrl` is derived from the number.
             * @example dhl
             */
            carrier?: string | null;
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
            /** @enum {string} */
            status?: "shipped" | "delivered" | "cancelled";
            /** @example 00340434161094042557 */
            trackingNumber?: string | null;
            /**
             * @description http or https. Overrides the URL of a known carrier; null restores it.
             * @example https://track.example/00340434161094042557
             */
            trackingUrl?: string | null;
        };
        Install: {
            appId: string;
            appName: string;
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description The permissions of its tokens. */
            grantedScopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            id: string;
            /** @description Whether a member of the app’s organisation chose the version. Newer versions are then not installed automatically. Only in development stores. */
            isDevelopment: boolean;
            /**
             * @description `disabled` by the merchant, `suspended` by the platform. An uninstalled app keeps its data.
             * @enum {string}
             */
            state: "installed" | "disabled" | "suspended" | "uninstalled";
            storeId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            versionId: string;
            versionNumber: number;
            /** @description A newer approved version, which the merchant can install after giving consent. */
            waitingVersionId: string | null;
        };
        InstallInput: {
            /** @description PKCE, S256: BASE64URL(SHA-256(verifier)). Required with a `redirectUri`. */
            codeChallenge?: string;
            /** @enum {string} */
            codeChallengeMethod?: "S256";
            /** @description The origins that its islands may connect to, in any order; none by default. */
            connectOrigins?: string[];
            /** @description An address registered by the app; without it no code is issued. */
            redirectUri?: string;
            /** @description The scopes that the version requests, in any order. */
            scopes: string[];
            /** @description Returned to the app unchanged. */
            state?: string;
            /** @description In a development store: any version of an app of the store’s organisation. */
            versionId?: string;
        };
        Invitation: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description Lower-case. */
            email: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            expiresAt: string;
            id: string;
            /** @description The ID of a user. */
            invitedBy: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
        };
        Island: {
            /** @description The SHA-256 of the bytes in hex; null until a module is uploaded. */
            moduleSha256: string | null;
            /** @description The URL of the module once a version that contains it has been approved. */
            moduleUrl: string | null;
            /** @example stars */
            name: string;
            sizeBytes: number | null;
        };
        ListedApp: {
            /** @description The blocks it adds to the editor. */
            blocks: {
                /** @description The name of an icon; unknown names are possible. */
                icon: string | null;
                key: string;
                name: string;
            }[];
            description: string;
            iconUrl: string | null;
            id: string;
            /** @description The number of stores with the app, at most about a minute old. */
            installs: number;
            installUrl: string | null;
            name: string;
            orgName: string;
            /** @description The permissions it requests from merchants. */
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
        };
        MailSettings: {
            /**
             * @description The address for replies; null for none.
             * @example hello@adas-teas.example
             */
            replyTo: string | null;
            /**
             * @description The store’s name by default.
             * @example Ada’s Teas
             */
            senderName: string;
        };
        MailSettingsInput: {
            /**
             * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
             * @example hello@adas-teas.example
             */
            replyTo?: string | null;
            /** @example Ada’s Teas */
            senderName?: string | null;
        };
        MailTemplate: {
            /**
             * @description HTML with Liquid; the mail’s frame, with logo and colours, is added around it.
             * @example <p>Hello {{ order.customer.name }},</p>
             */
            body: string;
            /**
             * @description Whether subject and body are the defaults that every store has.
             * @example true
             */
            isDefault: boolean;
            /**
             * @description Whether the store sends this mail in this language.
             * @example true
             */
            isEnabled: boolean;
            /**
             * @example orderShipped
             * @enum {string}
             */
            kind: "orderPlaced" | "paymentReceived" | "orderShipped" | "orderDelivered" | "refunded" | "orderCancelled" | "returnUpdated" | "documentIssued" | "formReceived";
            /**
             * @example en
             * @enum {string}
             */
            locale: "en" | "de" | "fr" | "es" | "it" | "nl";
            /**
             * @description Liquid; renders to one line of plain text.
             * @example Your order #{{ order.number }} is on its way
             */
            subject: string;
        };
        MailTemplateInput: {
            /** @example <p>Thank you.</p> */
            body?: string;
            /** @example true */
            isEnabled?: boolean;
            /** @example Order #{{ order.number }} */
            subject?: string;
        };
        MailTrial: {
            /** @example <p>Thank you.</p> */
            body?: string;
            /** @example en */
            locale?: string;
            /**
             * @description The order to render; a sample order by default.
             * @example null
             */
            orderId?: string | null;
            /** @example Order #{{ order.number }} */
            subject?: string;
        };
        Media: {
            /** @description The alternative text; pages use it if they set none. */
            alt: string;
            /** @description Determined from the file's bytes. */
            contentType: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            focalPoint: {
                /** @example 0.5 */
                x: number;
                /** @example 0.5 */
                y: number;
            } | null;
            folderId: string | null;
            height: number | null;
            id: string;
            /** @enum {string} */
            kind: "image" | "video" | "font";
            name: string;
            /** @description The hash of the bytes, in hex. */
            sha256: string;
            sizeBytes: number;
            trashed: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            trashedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /** @description The URL of the file. Images that are neither SVG nor animated also have other sizes: `?w=` 320, 480, 640, 960, 1280 or 1920, with `&format=` webp, avif, jpeg or png. */
            url: string;
            /** @description In pixels; images only. */
            width: number | null;
        };
        MediaFolder: {
            children: components["schemas"]["MediaFolder"][];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            name: string;
            /** @description Null at the root. */
            parentId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        MediaFolderInput: {
            name: string;
            /** @description Null or omitted for the root. */
            parentId?: string | null;
        };
        MediaFolderPatch: {
            name?: string;
            /** @description Null moves the folder to the root. */
            parentId?: string | null;
        };
        MediaPatch: {
            alt?: string;
            focalPoint?: {
                /** @example 0.5 */
                x: number;
                /** @example 0.5 */
                y: number;
            } | null;
            /** @description Null moves the asset to the root. */
            folderId?: string | null;
            name?: string;
        };
        Member: {
            email: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
            userId: string;
        };
        MemberCheckoutInput: {
            customer: {
                /**
                 * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
                 * @example ann@example.com
                 */
                email: string;
                name: string;
                phone?: string | null;
                shippingAddress?: components["schemas"]["AddressInput"] | null;
            };
            /**
             * @description As the shopper typed them.
             * @example [
             *       "SPRING"
             *     ]
             */
            discountCodes?: string[] | null;
            /**
             * @description The total shown to the buyer: with any other total no order is placed, `409 total_changed`.
             * @example 1780
             */
            expectedTotalCents?: number | null;
            /** @description A variant that occurs twice becomes one line item; the maximum quantity of each is set by the store, at most 999. */
            items: {
                quantity: number;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /**
             * @description The language in which the order is placed, BCP 47.
             * @example de
             */
            locale?: string | null;
            /**
             * @description By default the cheapest rate offered other than pickup.
             * @example shr_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            shippingRateId?: string | null;
            /**
             * @description The VAT ID of the buyer’s business.
             * @example FR40303265045
             */
            vatId?: string | null;
        };
        MemberQuoteInput: {
            /**
             * @description ISO 3166-1 alpha-2.
             * @example DE
             * @enum {string|null}
             */
            country?: "" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | null;
            /**
             * @description As the shopper typed them.
             * @example [
             *       "SPRING"
             *     ]
             */
            discountCodes?: string[] | null;
            /**
             * @description In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.
             * @example ann@example.com
             */
            email?: string | null;
            /**
             * @description Whether to explain how each amount is calculated.
             * @example false
             */
            explain?: boolean;
            /** @description A variant that occurs twice becomes one line item; the maximum quantity of each is set by the store, at most 999. */
            items: {
                quantity: number;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /** @example 10115 */
            postalCode?: string | null;
            /** @example Bavaria */
            region?: string | null;
            /**
             * @description By default the cheapest rate offered other than pickup.
             * @example shr_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            shippingRateId?: string | null;
            /**
             * @description The VAT ID of the buyer’s business.
             * @example FR40303265045
             */
            vatId?: string | null;
        };
        MemberReturnInput: {
            /**
             * @description `return` by default.
             * @default return
             * @enum {string}
             */
            kind: "return" | "withdrawal";
            lines: {
                /** @example 1 */
                quantity: number;
                /** @example Too small */
                reason?: string | null;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /**
             * @description Shown to the customer.
             * @example It does not fit.
             */
            note?: string | null;
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
        };
        MembershipRule: {
            conditions: {
                /**
                 * @description One of tag, name, vendor, priceCents, stock, createdAt, category, or customField.<key>.
                 * @example tag
                 */
                field: string;
                /**
                 * @example is
                 * @enum {string}
                 */
                op: "is" | "isNot" | "contains" | "startsWith" | "above" | "below" | "within";
                /** @example black */
                value: string | number | boolean;
            }[];
            /**
             * @example all
             * @enum {string}
             */
            match: "all" | "any";
        };
        MembershipRulePatch: {
            conditions?: {
                /**
                 * @description One of tag, name, vendor, priceCents, stock, createdAt, category, or customField.<key>.
                 * @example tag
                 */
                field: string;
                /**
                 * @example is
                 * @enum {string}
                 */
                op: "is" | "isNot" | "contains" | "startsWith" | "above" | "below" | "within";
                /** @example black */
                value: string | number | boolean;
            }[];
            /**
             * @example all
             * @enum {string}
             */
            match?: "all" | "any";
        };
        NewDiscountCodes: {
            /** @example 100 */
            count: number;
            /**
             * @description The prefix of each code.
             * @example SPRING-
             */
            prefix?: string | null;
        };
        Notification: {
            /** @description Whether you receive a mail for each new order of the store. */
            orderCreated: boolean;
            storeId: string;
        };
        NotificationInput: {
            /** @description Whether you receive a mail for each new order of the store. */
            orderCreated: boolean;
            storeId: string;
        };
        OfferedRate: {
            id: string;
            /** @example 2 */
            maxDays: number | null;
            /** @example 2 */
            minDays: number | null;
            /** @example Parcel */
            name: string;
            /**
             * @description Before free shipping.
             * @example 490
             */
            priceCents: number;
        };
        Order: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ISO 4217.
             * @example GBP
             */
            currency: string;
            /** @description The customer as of when the order was placed. */
            customer: {
                /** @example ada@example.com */
                email: string;
                /** @example Ada Lovelace */
                name: string;
                /** @example +44 20 7946 0000 */
                phone: string | null;
                shippingAddress: components["schemas"]["Address"] | null;
            };
            /** @description Null once the customer is deleted; the snapshot remains. */
            customerId: string | null;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            discountCents: number;
            /** @description The discounts that were applied. */
            discounts: components["schemas"]["UsedDiscount"][];
            /**
             * @description The total less the captured amount, never below 0; 0 for a cancelled order.
             * @example 0
             */
            dueCents: number;
            /** @enum {string} */
            fulfillment: "unfulfilled" | "partially_fulfilled" | "fulfilled" | "returned";
            id: string;
            lineItems: {
                /**
                 * @description In minor units of the order’s currency.
                 * @example 0
                 */
                discountCents: number;
                /**
                 * @description The number of units fulfilled.
                 * @example 0
                 */
                fulfilledQuantity: number;
                /**
                 * @description The product’s name when the order was placed.
                 * @example Earl Grey
                 */
                name: string;
                /**
                 * @description The variant’s options when the order was placed.
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options: {
                    [key: string]: string;
                };
                productId: string;
                /** @example 2 */
                quantity: number;
                /**
                 * @description The number of units refunded.
                 * @example 0
                 */
                refundedQuantity: number;
                /** @example EG-1 */
                sku: string | null;
                /**
                 * @description In minor units of the order’s currency.
                 * @example 284
                 */
                taxCents: number;
                /**
                 * @description Null if untaxed.
                 * @example 19
                 */
                taxPercent: string | null;
                /**
                 * @description After discounts, without tax on top.
                 * @example 1780
                 */
                totalCents: number;
                /**
                 * @description In minor units of the order’s currency.
                 * @example 890
                 */
                unitPriceCents: number;
                variantId: string;
                /** @example 100 g */
                variantName: string;
            }[];
            /**
             * @description The language in which the order was placed, BCP 47.
             * @example en
             */
            locale: string | null;
            /** @description Sequential within the store. */
            number: number;
            /**
             * @description The amount captured over all payments.
             * @example 1780
             */
            paidCents: number;
            /** @enum {string} */
            payment: "pending" | "authorized" | "paid" | "partially_refunded" | "refunded" | "voided";
            /**
             * @description The URL where the customer pays; present once a payment app has set it.
             * @example https://pay.example/o/81f2
             */
            paymentUrl?: string;
            /**
             * @description The refunded part of that amount.
             * @example 0
             */
            refundedCents: number;
            /**
             * @description Whether the buyer owes the tax.
             * @example false
             */
            reverseCharge: boolean;
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            shippingCents: number;
            /**
             * @description The chosen shipping rate; null if there was nothing to choose.
             * @example null
             */
            shippingRate: {
                id: string;
                name: string;
            } | null;
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            shippingTaxCents: number;
            /** @enum {string} */
            status: "open" | "completed" | "cancelled";
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            subtotalCents: number;
            /**
             * @description In minor units of the order’s currency.
             * @example 284
             */
            taxCents: number;
            /**
             * @description Whether prices include tax.
             * @example true
             */
            taxIncluded: boolean;
            taxLines: components["schemas"]["TaxLine"][];
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            totalCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /** @example FR40303265045 */
            vatId: string | null;
        };
        OrderChange: {
            /** @description Set by the server; ignored. */
            createdAt?: unknown;
            /** @enum {string} */
            fulfillment?: "unfulfilled" | "partially_fulfilled" | "fulfilled" | "returned";
            /** @description Set by the server; ignored. */
            id?: unknown;
            /** @description Set by the server; ignored. */
            number?: unknown;
            /** @enum {string} */
            payment?: "pending" | "authorized" | "paid" | "partially_refunded" | "refunded" | "voided";
            /** @enum {string} */
            status?: "open" | "completed" | "cancelled";
            /** @description Set by the server; ignored. */
            updatedAt?: unknown;
        };
        OrderDocument: {
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            issuedAt: string;
            /** @enum {string} */
            kind: "invoice" | "creditNote" | "packingSlip";
            /**
             * @description Sequential without gaps for each store and kind; null for a packing slip.
             * @example INV-2026-17
             */
            number: string | null;
            orderId: string;
            /**
             * @description For a credit note, the refund that it documents.
             * @example null
             */
            refundId: string | null;
            /**
             * @description The URL of the PDF. It cannot be guessed and needs no credential.
             * @example https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea
             */
            url: string;
            /**
             * @description The URL of the invoice as XML (EN 16931), which the PDF also contains; null for packing slips and for currencies with three decimals.
             * @example https://waybill.example/storefront/str_01kakk9zg00000000000000000/documents/01kakk9zg00000000000000000-y0Ea/xml
             */
            xmlUrl: string | null;
        };
        /** @description `at` is the time when the mail was sent or given up, or else queued. */
        OrderMail: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /**
             * @example orderShipped
             * @enum {string}
             */
            kind: "orderPlaced" | "paymentReceived" | "orderShipped" | "orderDelivered" | "refunded" | "orderCancelled" | "returnUpdated" | "documentIssued";
            /**
             * @description The fulfilment, refund, return or document of the mail; null for the order itself.
             * @example ful_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            partId: string | null;
            /**
             * @example sent
             * @enum {string}
             */
            state: "queued" | "sent" | "failed";
        };
        OrderNote: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @example Call before delivery. */
            text: string;
            userId: string;
            /**
             * @description Null if the user no longer exists.
             * @example Ada Lovelace
             */
            userName: string | null;
        };
        OrderNoteInput: {
            /** @example Call before delivery. */
            text: string;
        };
        OrderReceipt: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ISO 4217.
             * @example GBP
             */
            currency: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            discountCents: number;
            /** @description The discounts that were applied. */
            discounts: components["schemas"]["UsedDiscount"][];
            /**
             * @description The total less the captured amount, never below 0; 0 for a cancelled order.
             * @example 0
             */
            dueCents: number;
            /** @enum {string} */
            fulfillment: "unfulfilled" | "partially_fulfilled" | "fulfilled" | "returned";
            lineItems: {
                /**
                 * @description In minor units of the order’s currency.
                 * @example 0
                 */
                discountCents: number;
                /**
                 * @description The number of units fulfilled.
                 * @example 0
                 */
                fulfilledQuantity: number;
                /**
                 * @description The product’s name when the order was placed.
                 * @example Earl Grey
                 */
                name: string;
                /**
                 * @description The variant’s options when the order was placed.
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options: {
                    [key: string]: string;
                };
                productId: string;
                /** @example 2 */
                quantity: number;
                /**
                 * @description The number of units refunded.
                 * @example 0
                 */
                refundedQuantity: number;
                /** @example EG-1 */
                sku: string | null;
                /**
                 * @description In minor units of the order’s currency.
                 * @example 284
                 */
                taxCents: number;
                /**
                 * @description Null if untaxed.
                 * @example 19
                 */
                taxPercent: string | null;
                /**
                 * @description After discounts, without tax on top.
                 * @example 1780
                 */
                totalCents: number;
                /**
                 * @description In minor units of the order’s currency.
                 * @example 890
                 */
                unitPriceCents: number;
                variantId: string;
                /** @example 100 g */
                variantName: string;
            }[];
            /**
             * @description The language in which the order was placed, BCP 47.
             * @example en
             */
            locale: string | null;
            /** @description Sequential within the store. */
            number: number;
            /**
             * @description The amount captured over all payments.
             * @example 1780
             */
            paidCents: number;
            /** @enum {string} */
            payment: "pending" | "authorized" | "paid" | "partially_refunded" | "refunded" | "voided";
            /**
             * @description The URL where the customer pays; present once a payment app has set it.
             * @example https://pay.example/o/81f2
             */
            paymentUrl?: string;
            /**
             * @description The refunded part of that amount.
             * @example 0
             */
            refundedCents: number;
            /**
             * @description Whether the buyer owes the tax.
             * @example false
             */
            reverseCharge: boolean;
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            shippingCents: number;
            /**
             * @description The chosen shipping rate; null if there was nothing to choose.
             * @example null
             */
            shippingRate: {
                id: string;
                name: string;
            } | null;
            /**
             * @description In minor units of the order’s currency.
             * @example 0
             */
            shippingTaxCents: number;
            /** @enum {string} */
            status: "open" | "completed" | "cancelled";
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            subtotalCents: number;
            /**
             * @description In minor units of the order’s currency.
             * @example 284
             */
            taxCents: number;
            /**
             * @description Whether prices include tax.
             * @example true
             */
            taxIncluded: boolean;
            taxLines: components["schemas"]["TaxLine"][];
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            totalCents: number;
        };
        Org: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            name: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "owner" | "developer";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        OrgInvitation: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description Lower-case. */
            email: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            expiresAt: string;
            id: string;
            /** @description The ID of a user. */
            invitedBy: string;
            /** @enum {string} */
            role: "owner" | "developer";
        };
        OrgMember: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            email: string;
            /**
             * @description Owners can also manage members; both roles can do everything else.
             * @enum {string}
             */
            role: "owner" | "developer";
            userId: string;
        };
        Page: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /** @description Whether a saved draft differs from what is published. False without a draft. */
            hasChanges: boolean;
            /** @description Whether a saved draft is not yet published. */
            hasDraft: boolean;
            id: string;
            isHomepage: boolean;
            /**
             * @description Whether the page is published.
             * @example true
             */
            live: boolean;
            /** @example About us */
            name: string;
            position: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            publishedAt: string | null;
            settings: {
                [key: string]: unknown;
            };
            /** @example about-us */
            slug: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description The URL of the live page.
             * @example https://shop.example.com/about-us
             */
            url: string | null;
        };
        PageChange: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description True replaces the previous homepage; false on the homepage is ignored. */
            isHomepage?: boolean;
            name?: string;
            /** @description Shifts the others; positions past the end mean the end. */
            position?: number;
            /** @description Stored as sent, at most 64 KiB as JSON. Live pages use these settings if they are strings: `title` and `description` in the head, `lang` as the language; and `noindex` if it is true. */
            settings?: {
                [key: string]: unknown;
            };
            slug?: string;
        };
        PageInput: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description True replaces the previous homepage; false on the homepage is ignored. */
            isHomepage?: boolean;
            name: string;
            /** @description Shifts the others; positions past the end mean the end. */
            position?: number;
            /** @description Stored as sent, at most 64 KiB as JSON. Live pages use these settings if they are strings: `title` and `description` in the head, `lang` as the language; and `noindex` if it is true. */
            settings?: {
                [key: string]: unknown;
            };
            slug?: string;
        };
        Payment: {
            /**
             * @description The amount to be paid. In minor units.
             * @example 1780
             */
            amountCents: number;
            /**
             * @description The captured amount. In minor units.
             * @example 1780
             */
            capturedCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ISO 4217.
             * @example GBP
             */
            currency: string;
            /** @description The events of the payment, in order. */
            entries: components["schemas"]["PaymentEntry"][];
            failure: {
                code: string;
                message: string;
            } | null;
            id: string;
            /** @description Whether the payment moves no real money. */
            isTest: boolean;
            /**
             * @description The provider’s name for the payment method; null until known.
             * @example card
             */
            method: string | null;
            /** @description Null if the money came another way and was recorded by hand. */
            methodId: string | null;
            orderId: string;
            /** @enum {string} */
            provider: "manual" | "stripe" | "app";
            /** @example RF 2026-1042 */
            reference: string | null;
            /**
             * @description The refunded part of the captured amount. In minor units.
             * @example 0
             */
            refundedCents: number;
            /** @enum {string} */
            status: "pending" | "authorized" | "captured" | "partially_refunded" | "refunded" | "voided" | "failed" | "disputed";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        PaymentChoice: {
            id: string;
            /**
             * @description Instructions for shoppers who chose it; shown with the order.
             * @example Please transfer the amount to DE02 1203 0000 0000 2020 51.
             */
            instructions: string;
            isTest: boolean;
            /**
             * @description The name shown to shoppers.
             * @example Bank transfer
             */
            name: string;
            /** @enum {string} */
            provider: "manual" | "stripe" | "app";
        };
        PaymentEntry: {
            /**
             * @description The amount that moved, or was promised, in minor units. Negative only for `refunded`: a refund that failed after it had succeeded.
             * @example 1780
             */
            amountCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            id: string;
            /** @enum {string} */
            kind: "authorized" | "captured" | "refunded" | "voided" | "failed" | "disputed" | "disputeWon" | "disputeLost" | "noted";
            /**
             * @description The identifier given by the provider or by the person who recorded it.
             * @example RF 2026-1042
             */
            reference: string | null;
            /**
             * @description Only for `noted`: the payment status that was set by hand.
             * @example authorized
             */
            status?: string;
        };
        PaymentInput: {
            /**
             * @description In minor units of the order’s currency.
             * @example 1780
             */
            amountCents?: number;
            /**
             * @description An external reference, such as on a bank statement.
             * @example RF 2026-1042
             */
            reference?: string | null;
        };
        PaymentLink: {
            /**
             * @description The https URL where the customer pays; the order’s page shows it as “Pay now” while the payment is pending; null removes it.
             * @example https://pay.example/o/81f2
             */
            url: string | null;
        };
        PaymentMethodChange: {
            /**
             * @description `manual`: the money is only authorised at checkout, and captured by hand.
             * @enum {string}
             */
            capture?: "automatic" | "manual";
            /** @description Null for every country. */
            countries?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[] | null;
            /**
             * @description Instructions for shoppers who chose it; shown with the order.
             * @example Please transfer the amount to DE02 1203 0000 0000 2020 51.
             */
            instructions?: string;
            /** @description Whether shoppers can choose it. */
            isEnabled?: boolean;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            maximumCents?: number | null;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            minimumCents?: number | null;
            /**
             * @description The name shown to shoppers.
             * @example Bank transfer
             */
            name?: string;
            /**
             * @description Its position in the list, from 0: setting it moves the others.
             * @example 0
             */
            position?: number;
            /** @example pk_test_51H… */
            publishableKey?: string | null;
            /**
             * @description Stripe only: a secret or a restricted key. Write-only.
             * @example sk_test_51H…
             */
            secretKey?: string;
            /**
             * @description Verifies the provider’s events, if you register their address yourself. Write-only.
             * @example whsec_5f0c…
             */
            webhookSecret?: string | null;
        };
        /**
         * @example {
         *       "provider": "manual",
         *       "name": "Bank transfer",
         *       "isEnabled": true
         *     }
         */
        PaymentMethodInput: {
            /**
             * @description For `app`: the installed app that processes the payments.
             * @example app_01kakk9zg00000000000000000
             */
            appId?: string | null;
            /**
             * @description `manual`: the money is only authorised at checkout, and captured by hand.
             * @enum {string}
             */
            capture?: "automatic" | "manual";
            /** @description Null for every country. */
            countries?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[] | null;
            /**
             * @description Instructions for shoppers who chose it; shown with the order.
             * @example Please transfer the amount to DE02 1203 0000 0000 2020 51.
             */
            instructions?: string;
            /** @description Whether shoppers can choose it. */
            isEnabled?: boolean;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            maximumCents?: number | null;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            minimumCents?: number | null;
            /**
             * @description The name shown to shoppers.
             * @example Bank transfer
             */
            name: string;
            /**
             * @description Its position in the list, from 0: setting it moves the others.
             * @example 0
             */
            position?: number;
            /** @enum {string} */
            provider: "manual" | "stripe" | "app";
            /** @example pk_test_51H… */
            publishableKey?: string | null;
            /**
             * @description Stripe only: a secret or a restricted key. Write-only.
             * @example sk_test_51H…
             */
            secretKey?: string;
            /**
             * @description Verifies the provider’s events, if you register their address yourself. Write-only.
             * @example whsec_5f0c…
             */
            webhookSecret?: string | null;
        };
        PaymentReconciliation: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checkedAt: string;
            differences: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:00:00.000Z
                 */
                checkedAt: string;
                /**
                 * @description The amount recorded here: captured less refunded.
                 * @example 1780
                 */
                hereCents: number;
                paymentId: string;
                /** @example pi_3MtwBwLkdIwHu7ix28a3tqPa */
                reference: string | null;
                /**
                 * @description The amount reported by the provider.
                 * @example 1780
                 */
                thereCents: number;
            }[];
        };
        PaymentSession: {
            /** @example 1780 */
            amountCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @example GBP */
            currency: string;
            id: string;
            isTest: boolean;
            orderId: string;
            paymentId: string;
            /** @example https://pay.example.com/c/9f2 */
            redirectUrl: string | null;
            /** @example https://teas.example/orders/01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9v */
            returnUrl: string;
            /** @enum {string} */
            status: "pending" | "authorized" | "captured" | "refunded" | "voided" | "failed";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        PaymentSessionReport: {
            /**
             * @description The requested amount by default.
             * @example 1780
             */
            amountCents?: number;
            failure?: {
                /** @example card_declined */
                code: string;
                /** @example The card was declined. */
                message: string;
            };
            /**
             * @description The https URL where the shopper pays.
             * @example https://pay.example.com/c/9f2
             */
            redirectUrl?: string;
            /**
             * @description Your own ID of the event: reports with the same ID count once.
             * @example ch_20931
             */
            reference?: string;
            /**
             * @description `pending` only reports the page for paying, or that the payment is in progress.
             * @enum {string}
             */
            status: "pending" | "authorized" | "captured" | "refunded" | "voided" | "failed";
        };
        PreviewedProduct: {
            id: string;
            /** @description The product’s first picture. */
            imageMediaId: string | null;
            /** @example Earl Grey */
            name: string;
            /**
             * @example active
             * @enum {string}
             */
            status: "draft" | "active" | "archived";
        };
        Product: {
            /**
             * @description The categories that contain the product, manual and by rule.
             * @example []
             */
            categoryIds: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description HTML, sanitised on write.
             * @example <p>Black tea with bergamot.</p>
             */
            description: string;
            id: string;
            /**
             * @description The files of `mediaIds`, in the same order.
             * @example []
             */
            media: {
                id: string;
                url: string;
            }[];
            /** @example [] */
            mediaIds: string[];
            /** @example Earl Grey */
            name: string;
            /** @description Sequential within the store. */
            number: number;
            /** @description The options in which its variants differ. */
            options: components["schemas"]["ProductOption"][];
            /**
             * @description The lowest price of a variant; null without variants.
             * @example 890
             */
            priceCents: number | null;
            seo: components["schemas"]["Seo"];
            /** @example earl-grey */
            slug: string;
            /**
             * @example active
             * @enum {string}
             */
            status: "draft" | "active" | "archived";
            /**
             * @example [
             *       "tea"
             *     ]
             */
            tags: string[];
            /** @example standard */
            taxCategory: string;
            /**
             * @description The total stock of all variants.
             * @example 12
             */
            totalStock: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            variants: {
                /**
                 * @description A GTIN.
                 * @example 4006381333931
                 */
                barcode: string | null;
                /**
                 * @description A former or recommended price, above `priceCents`.
                 * @example 990
                 */
                compareAtCents: number | null;
                /**
                 * @description Values by the keys of their definitions.
                 * @example {
                 *       "material": "Linen"
                 *     }
                 */
                customFields: {
                    [key: string]: string | number | boolean | string[];
                };
                id: string;
                /**
                 * @description The lowest price in effect while the product was active, in the 30 days before the current price began; null if the price has never changed.
                 * @example null
                 */
                lowestPriceCents30Days: number | null;
                /**
                 * @description The variant’s own picture.
                 * @example null
                 */
                mediaId: string | null;
                /** @example 100 g */
                name: string;
                /**
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options: {
                    [key: string]: string;
                };
                /**
                 * @description In minor currency units.
                 * @example 890
                 */
                priceCents: number;
                /** @example true */
                requiresShipping: boolean;
                /** @example EG-1 */
                sku: string | null;
                /** @example 12 */
                stock: number;
                unit: components["schemas"]["Unit"] | null;
                /**
                 * @description The price per `unit.perAmount`; null without a unit.
                 * @example 8900
                 */
                unitPriceCents: number | null;
                /** @example 120 */
                weightGrams: number | null;
            }[];
            /** @example Ridge & Sons */
            vendor: string;
        };
        ProductInput: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description HTML; sanitised. */
            description?: string;
            /** @description Unknown IDs are dropped. */
            mediaIds?: string[];
            name: string;
            /** @description The options in which the variants differ; each variant has exactly one value of each. */
            options?: {
                /** @example Size */
                name: string;
                values: string[];
            }[];
            seo?: {
                /** @example Black tea with oil of bergamot. */
                description?: string;
                /**
                 * @description An unknown ID becomes null.
                 * @example mda_01kakk9zg00000000000000000
                 */
                imageMediaId?: string | null;
                /** @example Earl Grey, loose leaf */
                title?: string;
            };
            slug?: string;
            /** @enum {string} */
            status?: "draft" | "active" | "archived";
            tags?: string[];
            /**
             * @description `standard` by default.
             * @example standard
             */
            taxCategory?: string;
            variants?: {
                /**
                 * @description A GTIN of 8, 12, 13 or 14 digits.
                 * @example 4006381333931
                 */
                barcode?: string | null;
                /**
                 * @description Must be above `priceCents`. If a write omits it and the stored value is no longer above, it becomes null.
                 * @example 990
                 */
                compareAtCents?: number | null;
                /**
                 * @description Omitted keys keep their values; null removes a value.
                 * @example {}
                 */
                customFields?: {
                    [key: string]: unknown;
                };
                /** @description PUT, PATCH: the ID of an existing variant; without it, variants match by `sku`. POST: ignored. */
                id?: unknown;
                /**
                 * @description The variant’s own picture; an unknown ID becomes null.
                 * @example mda_01kakk9zg00000000000000000
                 */
                mediaId?: string | null;
                name?: string;
                /**
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options?: {
                    [key: string]: string;
                };
                priceCents: number;
                /** @description True by default. */
                requiresShipping?: boolean;
                sku?: string | null;
                stock?: number;
                unit?: components["schemas"]["UnitInput"] | null;
                weightGrams?: number | null;
            }[];
            /** @example Ridge & Sons */
            vendor?: string;
        };
        ProductOption: {
            /** @example Size */
            name: string;
            /**
             * @example [
             *       "100 g",
             *       "250 g"
             *     ]
             */
            values: string[];
        };
        ProductPatch: {
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description HTML; sanitised. */
            description?: string;
            /** @description Unknown IDs are dropped. */
            mediaIds?: string[];
            name?: string;
            /** @description The options in which the variants differ; each variant has exactly one value of each. */
            options?: {
                /** @example Size */
                name: string;
                values: string[];
            }[];
            seo?: {
                /** @example Black tea with oil of bergamot. */
                description?: string;
                /**
                 * @description An unknown ID becomes null.
                 * @example mda_01kakk9zg00000000000000000
                 */
                imageMediaId?: string | null;
                /** @example Earl Grey, loose leaf */
                title?: string;
            };
            slug?: string;
            /** @enum {string} */
            status?: "draft" | "active" | "archived";
            tags?: string[];
            /**
             * @description `standard` by default.
             * @example standard
             */
            taxCategory?: string;
            variants?: components["schemas"]["VariantPatch"][];
            /** @example Ridge & Sons */
            vendor?: string;
        };
        Quote: {
            /**
             * @description ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description Excludes savings from free shipping.
             * @example 0
             */
            discountCents: number;
            discounts: components["schemas"]["UsedDiscount"][];
            lines: {
                /**
                 * @description In minor units.
                 * @example 0
                 */
                discountCents: number;
                /** @enum {string|null} */
                problem: "outOfStock" | "unavailable" | null;
                /** @example 2 */
                quantity: number;
                /**
                 * @description In minor units.
                 * @example 1780
                 */
                subtotalCents: number;
                /**
                 * @description In minor units.
                 * @example 284
                 */
                taxCents: number;
                /**
                 * @description Null if untaxed.
                 * @example 19
                 */
                taxPercent: string | null;
                /**
                 * @description After discounts, without tax on top.
                 * @example 1780
                 */
                totalCents: number;
                /**
                 * @description In minor units.
                 * @example 890
                 */
                unitPriceCents: number;
                variantId: string;
            }[];
            /**
             * @description The fields required before the order has a price.
             * @example []
             */
            missing: "country"[];
            rejectedCodes: components["schemas"]["RejectedCode"][];
            /** @example false */
            reverseCharge: boolean;
            /**
             * @description In minor units.
             * @example 0
             */
            shippingCents: number;
            shippingRateId: string | null;
            shippingRates: components["schemas"]["OfferedRate"][];
            /**
             * @description In minor units.
             * @example 0
             */
            shippingTaxCents: number;
            /** @description With `explain`: the changes to the amount, in order. */
            steps?: {
                /**
                 * @description In minor units.
                 * @example 1780
                 */
                amountCents: number;
                /** @enum {string} */
                kind: "line" | "reverseCharge" | "discount" | "shipping" | "freeShipping" | "tax" | "includedTax";
                /** @example 2 × Earl Grey */
                text: string;
            }[];
            /**
             * @description In minor units.
             * @example 1780
             */
            subtotalCents: number;
            /**
             * @description In minor units.
             * @example 284
             */
            taxCents: number;
            /**
             * @description Whether prices include tax.
             * @example true
             */
            taxIncluded: boolean;
            taxLines: components["schemas"]["TaxLine"][];
            /**
             * @description In minor units.
             * @example 1780
             */
            totalCents: number;
        };
        QuoteInput: {
            /**
             * @description ISO 3166-1 alpha-2.
             * @example DE
             * @enum {string|null}
             */
            country?: "" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | null;
            /**
             * @description As the shopper typed them.
             * @example [
             *       "SPRING"
             *     ]
             */
            discountCodes?: string[] | null;
            /**
             * @description Whether to explain how each amount is calculated.
             * @example false
             */
            explain?: boolean;
            /** @description A variant that occurs twice becomes one line item; the maximum quantity of each is set by the store, at most 999. */
            items: {
                quantity: number;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /** @example 10115 */
            postalCode?: string | null;
            /** @example Bavaria */
            region?: string | null;
            /**
             * @description By default the cheapest rate offered other than pickup.
             * @example shr_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            shippingRateId?: string | null;
            /**
             * @description The VAT ID of the buyer’s business.
             * @example FR40303265045
             */
            vatId?: string | null;
        };
        RefreshTokenGrant: {
            /** @example app_01kakk9zg00000000000000000 */
            client_id?: string;
            /** @example q0v5mJ9x1Kc8b2Yd4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Y */
            client_secret?: string;
            /** @constant */
            grant_type: "refresh_token";
            /** @example wbr_4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Yd */
            refresh_token: string;
        };
        Refund: {
            /**
             * @description The refunded amount, including tax.
             * @example 1780
             */
            amountCents: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @description The refunded lines at the price paid for them, even if another amount was refunded. */
            lines: {
                /**
                 * @description The price paid for the units, including tax.
                 * @example 1780
                 */
                amountCents: number;
                /** @example 2 */
                quantity: number;
                /**
                 * @description Whether the units return to stock.
                 * @example true
                 */
                restock: boolean;
                /**
                 * @description The tax included in that amount.
                 * @example 284
                 */
                taxCents: number;
                variantId: string;
            }[];
            orderId: string;
            /** @example Arrived broken */
            reason: string | null;
            /**
             * @description The refunded part of the order’s `shippingCents`.
             * @example 0
             */
            shippingCents: number;
            /**
             * @description `pending`: the provider has not answered yet. `failed`: no money moved.
             * @enum {string}
             */
            state: "pending" | "done" | "failed";
            /**
             * @description The tax included in that amount.
             * @example 284
             */
            taxCents: number;
        };
        RefundInput: {
            /** @description An amount on its own, or a replacement for the amount of `lines` and `shippingCents`. */
            amountCents?: number;
            /** @description Refunded at the price paid for them, including tax. */
            lines?: {
                /** @example 1 */
                quantity: number;
                /** @description Returns the units to stock, unless they are already there. */
                restock?: boolean;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
            /**
             * @description The payment to refund; by default the newest payments first.
             * @example pay_01kakk9zg00000000000000000
             */
            paymentId?: string;
            /**
             * @description Shown to the customer.
             * @example Arrived broken
             */
            reason?: string | null;
            /** @description The part of the order’s `shippingCents` to refund; if tax is added on top, its share is refunded in addition. */
            shippingCents?: number;
        };
        RejectedCode: {
            /** @example SPRING */
            code: string;
            /** @enum {string} */
            reason: "unknown" | "notStarted" | "ended" | "disabled" | "usedUp" | "minimum" | "notCombinable" | "nothingApplies";
        };
        ReplayInput: {
            /**
             * Format: date-time
             * @description Events created at this time or later.
             * @example 2026-11-20T10:00:00.000Z
             */
            since: string;
            /**
             * @description The outcome of the last call for the event; `never`: no call, because the webhook was disabled or did not exist. All except `delivered` by default. Records of calls are kept for 30 days, so older events match only if the webhook itself is younger.
             * @example [
             *       "dead",
             *       "never"
             *     ]
             */
            statuses?: ("dead" | "cancelled" | "delivered" | "never")[];
            /**
             * @description The webhook’s `events` by default.
             * @example [
             *       "product.updated"
             *     ]
             */
            types?: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            /**
             * Format: date-time
             * @description Events created before this time; by default the time of the request.
             * @example 2026-11-20T10:00:00.000Z
             */
            until?: string;
        };
        Return: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /**
             * @description `withdrawal`: the customer withdraws from the contract, as the law allows.
             * @enum {string}
             */
            kind: "return" | "withdrawal";
            lines: {
                /** @example 2 */
                quantity: number;
                /** @example Too small */
                reason: string | null;
                variantId: string;
            }[];
            /**
             * @description The messages that the customer and the store exchange about the return.
             * @example Please send it back within two weeks.
             */
            note: string | null;
            orderId: string;
            /** @description The refund of its lines; null until refunded. */
            refundId: string | null;
            /** @enum {string} */
            state: "requested" | "approved" | "declined" | "received" | "closed";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        ReturnInput: {
            /**
             * @description `return` by default.
             * @default return
             * @enum {string}
             */
            kind: "return" | "withdrawal";
            lines: {
                /** @example 1 */
                quantity: number;
                /** @example Too small */
                reason?: string | null;
                /** @example var_01kakk9zg00000000000000000 */
                variantId: string;
            }[];
            /**
             * @description Shown to the customer.
             * @example It does not fit.
             */
            note?: string | null;
        };
        ReturnPatch: {
            /**
             * @description Shown to the customer.
             * @example It does not fit.
             */
            note?: string | null;
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
            /** @enum {string} */
            state?: "requested" | "approved" | "declined" | "received" | "closed";
        };
        ReturnRefundInput: {
            /** @description An amount on its own, or a replacement for the amount of `lines` and `shippingCents`. */
            amountCents?: number;
            /** @description Whether to mail the customer; true by default. */
            notify?: boolean;
            /**
             * @description The payment to refund; by default the newest payments first.
             * @example pay_01kakk9zg00000000000000000
             */
            paymentId?: string;
            /**
             * @description Shown to the customer.
             * @example Arrived broken
             */
            reason?: string | null;
            /** @description The part of the order’s `shippingCents` to refund; if tax is added on top, its share is refunded in addition. */
            shippingCents?: number;
        };
        ReviewedOrg: {
            /** @description The number of approved versions over all its apps. */
            approvals: number;
            apps: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            members: number;
            name: string;
            /** @description The number of rejected versions over all its apps. */
            rejections: number;
        };
        ReviewItem: {
            app: {
                /** @description Also its `client_id`. */
                id: string;
                name: string;
                orgId: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:00:00.000Z
                 */
                suspendedAt: string | null;
            };
            appId: string;
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @description 1, 2, … within the app. */
            number: number;
            payments: {
                /** @example Example Pay */
                name: string;
            } | null;
            rejectionReason: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            reviewedAt: string | null;
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            /** @enum {string} */
            state: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            submittedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            withdrawnAt: string | null;
        };
        Revision: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @enum {string} */
            kind: "draft" | "published";
            /** @description The number of nodes in the document. */
            nodes: number;
            /** @description Null if an API key or an app published it. */
            userId: string | null;
            /** @description Also null if the user no longer exists. */
            userName: string | null;
        };
        RevocationRequest: {
            /** @example app_01kakk9zg00000000000000000 */
            client_id?: string;
            /** @example q0v5mJ9x1Kc8b2Yd4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Y */
            client_secret?: string;
            /** @example wbr_4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Yd */
            token: string;
        };
        RotationInput: {
            /**
             * @description 24 by default; with 0 the old secret ends at once, as does that of an overlapping rotation.
             * @example 24
             */
            overlapHours?: number;
        };
        Section: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            document: components["schemas"]["Document"];
            id: string;
            name: string;
            /** @description Changes with every save. */
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            savedAt: string;
            /** @description The ID of a user; null if it was saved long ago. */
            savedBy: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        SectionUser: {
            /**
             * @description For a template: `tpl_` followed by its kind, which is also its name.
             * @example pag_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            id: string;
            /** @description Whether visitors see the section there, as last published. */
            live: boolean;
            name: string;
            /** @enum {string} */
            type: "page" | "article" | "section" | "template";
        };
        Seo: {
            description: string;
            /** @example null */
            imageMediaId: string | null;
            title: string;
        };
        Session: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            id: string;
            /** @description The network address of the last refresh. */
            ip: string | null;
            /** @description Whether this is the session of the request. */
            isCurrent: boolean;
            /**
             * Format: date-time
             * @description The time of the last refresh.
             */
            lastUsedAt: string;
            /** @description The user agent of the client; printable characters only, at most 200. */
            userAgent: string | null;
        };
        Shipping: {
            zones: components["schemas"]["ShippingZone"][];
        };
        ShippingInput: {
            zones?: {
                /**
                 * @description ISO 3166-1 alpha-2, or `*` alone for every country.
                 * @example [
                 *       "DE",
                 *       "AT"
                 *     ]
                 */
                countries?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | "*")[];
                /**
                 * @description The ID of an existing zone or rate; any other ID is replaced.
                 * @example shz_01kakk9zg00000000000000000
                 */
                id?: string | null;
                /** @example Germany */
                name?: string;
                /**
                 * @description Full postal codes, or prefixes followed by `*`.
                 * @example [
                 *       "10*"
                 *     ]
                 */
                postalCodes?: string[] | null;
                rates?: {
                    /**
                     * @description The value of the shipped items, after discounts, from which shipping is free.
                     * @example 5000
                     */
                    freeFromCents?: number | null;
                    /**
                     * @description The ID of an existing zone or rate; any other ID is replaced.
                     * @example shr_01kakk9zg00000000000000000
                     */
                    id?: string | null;
                    /** @example true */
                    isEnabled?: boolean;
                    /**
                     * @description `weight` and `subtotal` are priced by their `steps`, the others by `priceCents`.
                     * @enum {string}
                     */
                    kind?: "flat" | "weight" | "subtotal" | "pickup";
                    /** @example 2 */
                    maxDays?: number | null;
                    /** @example 2 */
                    minDays?: number | null;
                    /** @example Parcel */
                    name?: string;
                    /** @example 490 */
                    priceCents?: number | null;
                    steps?: {
                        /**
                         * @description Grams, or minor units of the shipped items after discounts.
                         * @example 0
                         */
                        from: number;
                        /** @example 490 */
                        priceCents: number;
                    }[] | null;
                }[];
                /**
                 * @example [
                 *       "CA",
                 *       "OR"
                 *     ]
                 */
                regions?: string[] | null;
            }[];
        };
        ShippingRate: {
            /**
             * @description The value of the shipped items, after discounts, from which shipping is free.
             * @example 5000
             */
            freeFromCents: number | null;
            id: string;
            /** @example true */
            isEnabled: boolean;
            /**
             * @description `weight` and `subtotal` are priced by their `steps`, the others by `priceCents`.
             * @enum {string}
             */
            kind: "flat" | "weight" | "subtotal" | "pickup";
            /** @example 2 */
            maxDays: number | null;
            /** @example 2 */
            minDays: number | null;
            /** @example Parcel */
            name: string;
            /** @example 490 */
            priceCents: number | null;
            steps: {
                /**
                 * @description Grams, or minor units of the shipped items after discounts.
                 * @example 0
                 */
                from: number;
                /** @example 490 */
                priceCents: number;
            }[] | null;
        };
        ShippingZone: {
            /**
             * @description ISO 3166-1 alpha-2, or `*` alone for every country.
             * @example [
             *       "DE",
             *       "AT"
             *     ]
             */
            countries: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | "*")[];
            id: string;
            /** @example Germany */
            name: string;
            /**
             * @description Full postal codes, or prefixes followed by `*`.
             * @example [
             *       "10*"
             *     ]
             */
            postalCodes: string[] | null;
            rates: components["schemas"]["ShippingRate"][];
            /**
             * @example [
             *       "CA",
             *       "OR"
             *     ]
             */
            regions: string[] | null;
        };
        ShownWith: {
            /** @example prd_01jd5w2k0q8v6m3n4p5r6s7t8v */
            id: string;
            name: string;
            /** @enum {string} */
            type: "product" | "category" | "article";
        };
        SignedIn: {
            /** @description A JWT, valid for 15 minutes. */
            accessToken: string;
            /**
             * Format: date-time
             * @description The expiry of the access token.
             */
            expiresAt: string;
            /** @description Valid for one refresh within 30 days. Absent if the session is kept in a cookie. */
            refreshToken?: string;
            user: components["schemas"]["User"];
        };
        SignIn: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            id: string;
            /** @description The network address. */
            ip: string | null;
            /**
             * @description `failed`: the password, or the code of the second factor, was wrong.
             * @enum {string}
             */
            outcome: "ok" | "failed";
            /** @description The user agent of the client; printable characters only, at most 200. */
            userAgent: string | null;
        };
        SingleUseCode: {
            /** @example SPRING-7K2M9QX4 */
            code: string;
            orderId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            usedAt: string | null;
        };
        StockAdjustment: {
            /**
             * @description The amount to add to the stock; negative to remove. 0 changes nothing.
             * @example -2
             */
            delta: number;
            /** @description The reason; included in the event. */
            reason?: string;
        };
        Store: {
            checkout: components["schemas"]["CheckoutSettings"];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description The number of decimals of the currency by ISO 4217: amounts are in its minor unit.
             * @example 2
             */
            currencyExponent: number;
            /**
             * @description A picture from the store’s media library; browsers show it beside page titles.
             * @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v
             */
            faviconMediaId: string | null;
            id: string;
            /** @description Whether the store belongs to an app developer’s organisation, and can install unreviewed versions. */
            isDevelopment: boolean;
            /**
             * @description The languages of the store, BCP 47: first the original language, then the languages with addresses of their own. Null: English, and the first 20 languages with translations.
             * @example [
             *       "en",
             *       "de",
             *       "pt-BR"
             *     ]
             */
            locales: string[] | null;
            name: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "viewer" | "editor" | "admin" | "owner";
            /** @description Unique among all stores. */
            slug: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description The address of the store for visitors.
             * @example https://tea-house.example/
             */
            url: string;
        };
        StorefrontListedProduct: {
            /**
             * @description Whether any is left; the exact stock is not public.
             * @example true
             */
            available: boolean;
            /**
             * @description The categories that contain the product, manual and by rule.
             * @example []
             */
            categoryIds: string[];
            /**
             * @description The price of the cheapest variant.
             * @example null
             */
            compareAtCents: number | null;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            id: string;
            /**
             * @description The files of `mediaIds`, in the same order.
             * @example []
             */
            media: {
                id: string;
                url: string;
            }[];
            /** @example Earl Grey */
            name: string;
            /** @description The options in which its variants differ. */
            options: components["schemas"]["ProductOption"][];
            /**
             * @description The lowest price of a variant; null without variants.
             * @example 890
             */
            priceCents: number | null;
            /** @example earl-grey */
            slug: string;
            /**
             * @example [
             *       "tea"
             *     ]
             */
            tags: string[];
            variants: {
                /**
                 * @description Whether any is left; the exact stock is not public.
                 * @example true
                 */
                available: boolean;
                /**
                 * @description A GTIN.
                 * @example 4006381333931
                 */
                barcode: string | null;
                /**
                 * @description A former or recommended price, above `priceCents`.
                 * @example 990
                 */
                compareAtCents: number | null;
                /**
                 * @description Values by the keys of their definitions.
                 * @example {
                 *       "material": "Linen"
                 *     }
                 */
                customFields: {
                    [key: string]: string | number | boolean | string[];
                };
                id: string;
                /**
                 * @description The variant’s own picture.
                 * @example null
                 */
                mediaUrl: string | null;
                /** @example 100 g */
                name: string;
                /**
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options: {
                    [key: string]: string;
                };
                /**
                 * @description In minor currency units.
                 * @example 890
                 */
                priceCents: number;
                /** @example EG-1 */
                sku: string | null;
                unit: components["schemas"]["Unit"] | null;
                /**
                 * @description The price per `unit.perAmount`; null without a unit.
                 * @example 8900
                 */
                unitPriceCents: number | null;
            }[];
            /** @example Ridge & Sons */
            vendor: string;
        };
        StorefrontProduct: {
            /**
             * @description Whether any is left; the exact stock is not public.
             * @example true
             */
            available: boolean;
            /**
             * @description The categories that contain the product, manual and by rule.
             * @example []
             */
            categoryIds: string[];
            /**
             * @description The price of the cheapest variant.
             * @example null
             */
            compareAtCents: number | null;
            /**
             * @description Values by the keys of their definitions.
             * @example {
             *       "material": "Linen"
             *     }
             */
            customFields: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description HTML, sanitised on write.
             * @example <p>Black tea with bergamot.</p>
             */
            description: string;
            id: string;
            /**
             * @description The files of `mediaIds`, in the same order.
             * @example []
             */
            media: {
                id: string;
                url: string;
            }[];
            /** @example Earl Grey */
            name: string;
            /** @description The options in which its variants differ. */
            options: components["schemas"]["ProductOption"][];
            /**
             * @description The lowest price of a variant; null without variants.
             * @example 890
             */
            priceCents: number | null;
            /** @example earl-grey */
            slug: string;
            /**
             * @example [
             *       "tea"
             *     ]
             */
            tags: string[];
            variants: {
                /**
                 * @description Whether any is left; the exact stock is not public.
                 * @example true
                 */
                available: boolean;
                /**
                 * @description A GTIN.
                 * @example 4006381333931
                 */
                barcode: string | null;
                /**
                 * @description A former or recommended price, above `priceCents`.
                 * @example 990
                 */
                compareAtCents: number | null;
                /**
                 * @description Values by the keys of their definitions.
                 * @example {
                 *       "material": "Linen"
                 *     }
                 */
                customFields: {
                    [key: string]: string | number | boolean | string[];
                };
                id: string;
                /**
                 * @description The variant’s own picture.
                 * @example null
                 */
                mediaUrl: string | null;
                /** @example 100 g */
                name: string;
                /**
                 * @example {
                 *       "Size": "100 g"
                 *     }
                 */
                options: {
                    [key: string]: string;
                };
                /**
                 * @description In minor currency units.
                 * @example 890
                 */
                priceCents: number;
                /** @example EG-1 */
                sku: string | null;
                unit: components["schemas"]["Unit"] | null;
                /**
                 * @description The price per `unit.perAmount`; null without a unit.
                 * @example 8900
                 */
                unitPriceCents: number | null;
            }[];
            /** @example Ridge & Sons */
            vendor: string;
        };
        StoreLimit: {
            /** @example 1000000 */
            limit: number;
            /**
             * @description The counted resource, named as in its list. `media` is in bytes and includes trashed files.
             * @example products
             */
            name: string;
            /** @example 128 */
            used: number;
        };
        StorePaymentMethod: {
            appId: string | null;
            /**
             * @description `manual`: the money is only authorised at checkout, and captured by hand.
             * @enum {string}
             */
            capture: "automatic" | "manual";
            /** @description Null for every country. */
            countries: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            hasSecretKey: boolean;
            hasWebhookSecret: boolean;
            id: string;
            /**
             * @description Instructions for shoppers who chose it; shown with the order.
             * @example Please transfer the amount to DE02 1203 0000 0000 2020 51.
             */
            instructions: string;
            /** @description Whether shoppers can choose it. */
            isEnabled: boolean;
            /** @description Whether it takes no real money, as determined from its key. */
            isTest: boolean;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            maximumCents: number | null;
            /**
             * @description In minor units of the store’s currency.
             * @example 100000
             */
            minimumCents: number | null;
            /**
             * @description The name shown to shoppers.
             * @example Bank transfer
             */
            name: string;
            /**
             * @description Its position in the list, from 0: setting it moves the others.
             * @example 0
             */
            position: number;
            /** @enum {string} */
            provider: "manual" | "stripe" | "app";
            /** @example pk_test_51H… */
            publishableKey: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description The URL for the provider’s events; null if it sends none.
             * @example https://shop.example/payments/pmm_01jd5w2k0q8v6m3n4p5r6s7t8v/events
             */
            webhookUrl: string | null;
        };
        StoreVersion: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            approvedAt: string | null;
            blocks: {
                key: string;
                name: string;
            }[];
            /** @description The origins that the version's islands may connect to, besides the page's own. */
            connectOrigins: string[];
            id: string;
            isInstalled: boolean;
            /** @description Whether a consent would install it. */
            isWaiting: boolean;
            /** @description Whether it requests more than the store grants now; without an install, whether it requests anything at all. */
            needsConsent: boolean;
            /** @description 1, 2, … within the app. */
            number: number;
            scopes: ("products.read" | "orders.read" | "customers.read" | "discounts.read" | "blog.read" | "integrations.read" | "pages.read" | "theme.read" | "media.read" | "codefiles.read" | "webhooks.read" | "forms.read" | "translations.read" | "appdata.read" | "products.write" | "orders.write" | "customers.write" | "discounts.write" | "blog.write" | "integrations.write" | "pages.write" | "theme.write" | "media.write" | "codefiles.write" | "webhooks.write" | "forms.write" | "translations.write" | "appdata.write")[];
            /** @enum {string} */
            state: "draft" | "submitted" | "approved" | "rejected" | "withdrawn";
        };
        Taxes: {
            /**
             * @example [
             *       "standard",
             *       "reduced"
             *     ]
             */
            categories: string[];
            /**
             * @description Shown below the total in cart and checkout.
             * @example Small business: no VAT is charged.
             */
            displayNote: string;
            /**
             * @description The tax on orders to places without a rate: none, or as in the home country.
             * @enum {string}
             */
            elsewhere: "none" | "home";
            /**
             * @description ISO 3166-1 alpha-2.
             * @example DE
             * @enum {string|null}
             */
            homeCountry: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | null;
            /** @example true */
            pricesIncludeTax: boolean;
            rates: components["schemas"]["TaxRate"][];
            /**
             * @description Whether orders of businesses with a VAT ID in other EU countries are untaxed.
             * @example false
             */
            reverseCharge: boolean;
            /**
             * @description Shipping is taxed in proportion to the shipped items, at the standard rate, or not at all.
             * @enum {string}
             */
            shipping: "proportional" | "standard" | "none";
        };
        TaxesInput: {
            /**
             * @description Always includes `standard`, even if omitted.
             * @example [
             *       "standard",
             *       "reduced"
             *     ]
             */
            categories?: string[];
            /**
             * @description Shown below the total in cart and checkout.
             * @example Small business: no VAT is charged.
             */
            displayNote?: string;
            /**
             * @description The tax on orders to places without a rate: none, or as in the home country.
             * @enum {string}
             */
            elsewhere?: "none" | "home";
            /**
             * @description ISO 3166-1 alpha-2.
             * @example DE
             * @enum {string|null}
             */
            homeCountry?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW" | null;
            /** @example true */
            pricesIncludeTax?: boolean;
            rates?: {
                /** @example standard */
                category?: string;
                /**
                 * @description ISO 3166-1 alpha-2.
                 * @example DE
                 * @enum {string}
                 */
                country: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
                /** @example VAT */
                name: string;
                /**
                 * @description From 0 to 100, with at most four decimals.
                 * @example 19
                 */
                percent: string;
                /** @example CA */
                region?: string | null;
            }[];
            /**
             * @description Whether orders of businesses with a VAT ID in other EU countries are untaxed.
             * @example false
             */
            reverseCharge?: boolean;
            /**
             * @description Shipping is taxed in proportion to the shipped items, at the standard rate, or not at all.
             * @enum {string}
             */
            shipping?: "proportional" | "standard" | "none";
        };
        TaxLine: {
            /**
             * @description Net.
             * @example 1496
             */
            baseCents: number;
            /** @example VAT */
            name: string;
            /** @example 19 */
            percent: string;
            /**
             * @description In minor units.
             * @example 284
             */
            taxCents: number;
        };
        TaxRate: {
            /** @example standard */
            category: string;
            /**
             * @description ISO 3166-1 alpha-2.
             * @example DE
             * @enum {string}
             */
            country: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
            /**
             * @description The name shown to customers.
             * @example VAT
             */
            name: string;
            /**
             * @description From 0 to 100, with at most four decimals.
             * @example 19
             */
            percent: string;
            /** @example CA */
            region: string | null;
        };
        Template: {
            /** @description Whether a saved draft differs from what is published. False without a draft. */
            hasChanges: boolean;
            /** @description Whether a saved draft is not yet published. */
            hasDraft: boolean;
            /** @enum {string} */
            kind: "header" | "footer" | "product" | "category" | "article" | "blog" | "search" | "notFound";
            /** @description Whether the store’s own template is live; otherwise the default is. */
            live: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            publishedAt: string | null;
        };
        TestCallInput: {
            /**
             * @description Any event type. By default the first of the webhook’s `events`.
             * @example product.created
             * @enum {string}
             */
            type?: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
        };
        Theme: {
            colors: {
                /** @example #1a56c4 */
                accent: string;
                /** @example #1a56c4 */
                background: string;
                /** @example #1a56c4 */
                border: string;
                /** @example #1a56c4 */
                muted: string;
                /** @example #1a56c4 */
                onPrimary: string;
                /** @example #1a56c4 */
                primary: string;
                /** @example #1a56c4 */
                surface: string;
                /** @example #1a56c4 */
                text: string;
            };
            fonts: {
                body: {
                    /** @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v */
                    mediaId: string;
                } | {
                    /** @enum {string} */
                    stack: "system" | "serif" | "mono";
                };
                heading: {
                    /** @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v */
                    mediaId: string;
                } | {
                    /** @enum {string} */
                    stack: "system" | "serif" | "mono";
                };
            };
            /** @description The radius of corners, in pixels at the usual size. */
            radius: number;
            /** @description The scale of all type. */
            scale: number;
            /** @description The space between elements, in pixels at the usual size. */
            spacing: number;
        };
        ThemeInput: {
            colors?: {
                /** @example #1a56c4 */
                accent?: string;
                /** @example #1a56c4 */
                background?: string;
                /** @example #1a56c4 */
                border?: string;
                /** @example #1a56c4 */
                muted?: string;
                /** @example #1a56c4 */
                onPrimary?: string;
                /** @example #1a56c4 */
                primary?: string;
                /** @example #1a56c4 */
                surface?: string;
                /** @example #1a56c4 */
                text?: string;
            };
            fonts?: {
                body?: {
                    /** @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v */
                    mediaId: string;
                } | {
                    /** @enum {string} */
                    stack: "system" | "serif" | "mono";
                };
                heading?: {
                    /** @example mda_01jd5w2k0q8v6m3n4p5r6s7t8v */
                    mediaId: string;
                } | {
                    /** @enum {string} */
                    stack: "system" | "serif" | "mono";
                };
            };
            /** @description The radius of corners, in pixels at the usual size. */
            radius?: number;
            /** @description The scale of all type. */
            scale?: number;
            /** @description The space between elements, in pixels at the usual size. */
            spacing?: number;
        };
        TokenAnswer: {
            /** @example wba_… */
            access_token: string;
            /**
             * @description In seconds.
             * @example 3600
             */
            expires_in: number;
            /** @example wbr_… */
            refresh_token: string;
            /** @description The permissions that the install currently grants, separated by spaces. */
            scope: string;
            store_id: string;
            /** @constant */
            token_type: "Bearer";
        };
        TokenRequest: components["schemas"]["AuthorizationCodeGrant"] | components["schemas"]["RefreshTokenGrant"];
        Translation: {
            entityId: string;
            /** @enum {string} */
            entityType: "product" | "category" | "article" | "blogCategory" | "node";
            field: string;
            /**
             * @description A BCP 47 tag in canonical form.
             * @example de
             * @example pt-BR
             */
            locale: string;
            /** @enum {string} */
            source: "human" | "machine";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            value: string;
        };
        TranslationsInput: {
            entries: {
                /** @description For a node: `<ID of its page, section or article>:<node ID>`, or the node’s ID alone. A page’s ID, used as a node, refers to its fields `name`, `title` and `description`. */
                entityId: string;
                /** @enum {string} */
                entityType: "product" | "category" | "article" | "blogCategory" | "node";
                /** @description For products also `seo.title`, `seo.description`, and `options.<i>.name` and `options.<i>.values.<j>` by position; for products, categories and articles `customFields.<key>`, and `customFields.<key>.<i>` for one text of several. */
                field: string;
                /**
                 * @description A BCP 47 tag.
                 * @example de
                 * @example pt-BR
                 */
                locale: string;
                /** @description Stored as `human` if it is `human`, otherwise as `machine`. */
                source?: unknown;
                /** @description Ignored; accepted because a GET returns it. */
                updatedAt?: unknown;
                /** @description At most 64 KiB of UTF-8. Without a visible character, pages show the original. */
                value: string;
            }[];
        };
        Unit: {
            /**
             * @description At most three decimals.
             * @example 100
             */
            amount: number;
            /**
             * @example g
             * @enum {string}
             */
            measure: "g" | "kg" | "ml" | "l" | "m" | "m2" | "piece";
            /**
             * @description At most three decimals.
             * @example 1000
             */
            perAmount: number;
        };
        /** @description All three are null if the variant has no unit. */
        UnitInput: {
            /**
             * @description At most three decimals.
             * @example 100
             */
            amount?: number;
            /**
             * @example g
             * @enum {string}
             */
            measure?: "g" | "kg" | "ml" | "l" | "m" | "m2" | "piece";
            /**
             * @description At most three decimals.
             * @example 1000
             */
            perAmount?: number;
        };
        UsedDiscount: {
            /**
             * @description The amount saved.
             * @example 0
             */
            amountCents: number;
            /** @example SPRING */
            code: string | null;
            id: string;
            /** @example Spring sale */
            title: string;
        };
        User: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /** @description Lower-case. */
            email: string;
            /** @description Whether the user has followed a link mailed to this address. */
            emailVerified: boolean;
            id: string;
            /**
             * @description The language of mails to the user.
             * @enum {string}
             */
            locale: "en" | "de";
            name: string;
            /** @description Whether signing in requires a code of a second factor. */
            totpEnabled: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
        };
        VariantPatch: {
            /**
             * @description A GTIN of 8, 12, 13 or 14 digits.
             * @example 4006381333931
             */
            barcode?: string | null;
            /**
             * @description Must be above `priceCents`. If a write omits it and the stored value is no longer above, it becomes null.
             * @example 990
             */
            compareAtCents?: number | null;
            /**
             * @description Omitted keys keep their values; null removes a value.
             * @example {}
             */
            customFields?: {
                [key: string]: unknown;
            };
            /** @description PUT, PATCH: the ID of an existing variant; without it, variants match by `sku`. POST: ignored. */
            id?: unknown;
            /**
             * @description The variant’s own picture; an unknown ID becomes null.
             * @example mda_01kakk9zg00000000000000000
             */
            mediaId?: string | null;
            name?: string;
            /**
             * @example {
             *       "Size": "100 g"
             *     }
             */
            options?: {
                [key: string]: string;
            };
            priceCents?: number;
            /** @description True by default. */
            requiresShipping?: boolean;
            sku?: string | null;
            stock?: number;
            unit?: components["schemas"]["UnitInput"] | null;
            weightGrams?: number | null;
        };
        /** @description Compared with the newest approved version with a lower number; without one, everything counts as added. */
        VersionChanges: {
            /** @description The differences within changed blocks. */
            blockChanges: {
                differences: {
                    /** @description Absent if it was removed. */
                    after?: unknown;
                    /** @description Absent if it was added. */
                    before?: unknown;
                    /** @description Whether a subtree was too large to show. */
                    isCut: boolean;
                    /** @description A pointer within the block (RFC 6901); list items such as nodes are identified by their IDs, keys or names, and removed items by their position in the earlier version. */
                    pointer: string;
                }[];
                /** @description Whether there are more differences than listed. */
                hasMore: boolean;
                key: string;
            }[];
            blocks: {
                /** @description Keys of blocks. */
                added: string[];
                changed: string[];
                removed: string[];
            };
            connectOrigins: {
                added: string[];
                removed: string[];
            };
            islands: {
                /** @description Names of islands; `changed` lists islands with another module. */
                added: string[];
                changed: string[];
                removed: string[];
            };
            /** @description The SHA-256 of the modules of changed islands. */
            modules: {
                after: string | null;
                before: string | null;
                island: string;
            }[];
            scopes: {
                added: string[];
                removed: string[];
            };
            since: {
                number: number;
                versionId: string;
            } | null;
        };
        Vocabulary: {
            /** @description By name: a description, or the accepted values. */
            elementTypes: {
                [key: string]: unknown;
            };
            version: string;
            /** @description By name: a description, or the accepted values. */
            widgets: {
                [key: string]: unknown;
            };
            writeKeys: {
                /** @description By name: a description, or the accepted values. */
                config: {
                    [key: string]: unknown;
                };
                /** @description By name: a description, or the accepted values. */
                specials: {
                    [key: string]: unknown;
                };
                /** @description By name: a description, or the accepted values. */
                style: {
                    [key: string]: unknown;
                };
            };
        };
        Webhook: {
            /** @description The app that created it; null if no app did. */
            appId: string | null;
            /** @example null */
            batch: components["schemas"]["BatchRule"] | null;
            clientCertificate: {
                /**
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                certificate: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            description: string;
            destination: {
                /** @enum {string} */
                kind: "http";
            } | {
                /**
                 * @description Empty for the default exchange, whose routing keys are names of queues.
                 * @example events
                 */
                exchange: string;
                /** @enum {string} */
                kind: "rabbitmq";
                /** @example waybill */
                routingKey: string;
                /**
                 * @description amqp or amqps, with user name and password, which are returned as `***`.
                 * @example amqps://waybill:***@rabbit.example.com:5671/shop
                 */
                url: string;
            } | {
                /** @example AKIAIOSFODNN7EXAMPLE */
                accessKeyId: string;
                /** @enum {string} */
                kind: "sqs";
                /** @example https://sqs.eu-west-1.amazonaws.com/123456789012/waybill */
                queueUrl: string;
                /** @example eu-west-1 */
                region: string;
                /**
                 * @description Returned as `***`.
                 * @example ***
                 */
                secretAccessKey: string;
            };
            /** @description The number of days with failures and no success after which the webhook is disabled. Null: never. */
            disableAfterDays: number | null;
            events: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            failureAlerts: components["schemas"]["FailureAlertRule"] | null;
            /** @description Conditions that an event, as this webhook can read it, must all meet. Null for every event. */
            filter: components["schemas"]["WebhookFilterCondition"][] | null;
            /**
             * @description `cloudevents`: CloudEvents 1.0, structured mode.
             * @enum {string}
             */
            format: "envelope" | "cloudevents";
            /**
             * @description At most 20 headers of your own, by name; printable ASCII. Values of headers listed in `secretHeaders` are returned as `***`, and stay unchanged if that is sent back.
             * @example {
             *       "X-Tenant": "shop-7"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /** @description Whether a `Retry-After` of at most 24 hours with 429 or 503 postpones the next attempt. */
            honorsRetryAfter: boolean;
            id: string;
            /** @description The maximum number of calls started per second, including retries, replays and tests. */
            maxPerSecond: number | null;
            /**
             * @description `resource`: calls about the same resource are made one after another, in the order of its events.
             * @enum {string|null}
             */
            ordering: "resource" | null;
            /**
             * Format: date-time
             * @description The time until which calls are also signed with the old secret during a rotation. Null if no rotation is in progress.
             * @example 2026-11-20T10:00:00.000Z
             */
            previousSecretExpiresAt: string | null;
            /** @description The event types in `events` whose `data` contains only the ID, because the creator of the webhook, or the author of its last replacement, currently lacks permission for more. */
            reducedEvents: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            /**
             * @description Seconds before each retry. Null for the default schedule; empty for no retries.
             * @example [
             *       60,
             *       300
             *     ]
             */
            retryDelays: number[] | null;
            /** @description The names of `headers` whose values are secret. */
            secretHeaders: string[];
            /**
             * @description `failing`: the last three attempts failed; calls continue, and the next success ends this state.
             * @enum {string}
             */
            status: "active" | "disabled" | "failing";
            /** @description Whether a 410 ends the delivery. */
            stopsOnGone: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            updatedAt: string;
            /** @description Null if calls go to the queue in `destination`. */
            url: string | null;
        };
        WebhookAttempt: {
            attempt: number;
            durationMs: number;
            /** @description Empty if there is none. */
            error: string;
            /**
             * @description As sent, with secret values as `***`. Null for readers without permission for the event, and for attempts from before headers were stored.
             * @example {
             *       "X-WB-Attempt": "1"
             *     }
             */
            requestHeaders: {
                [key: string]: string;
            } | null;
            /**
             * @description The first KiB; null if no reply was received, or if it is not text (UTF-8).
             * @example no such order
             */
            responseBody: string | null;
            /**
             * @description By lower-case name, without cookies; long values are truncated. Null if no reply was received.
             * @example {
             *       "content-type": "text/plain"
             *     }
             */
            responseHeaders: {
                [key: string]: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            startedAt: string;
            /** @description Null if no complete reply headers were received. */
            statusCode: number | null;
        };
        WebhookCheck: {
            /** @enum {string} */
            id: "name" | "connection" | "tls" | "answer" | "clock";
            /** @example The name resolves to an address that calls may go to. */
            message: string;
            /** @enum {string} */
            state: "ok" | "warning" | "failed";
        };
        WebhookDelivery: {
            /** @description The number of the latest attempt; 1 before the first has ended. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            deliveredAt: string | null;
            endpointId: string;
            eventId: string;
            /** @enum {string} */
            eventType: "order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked";
            id: string;
            /** @description Whether it was requested as a test. */
            isTest: boolean;
            /** @description Empty if there is none. */
            lastError: string;
            lastStatusCode: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            nextAttemptAt: string | null;
            /** @enum {string} */
            status: "pending" | "retrying" | "delivered" | "dead" | "cancelled";
        };
        WebhookFilterCondition: {
            /**
             * @description `is`, `isNot`: exactly this text, number, boolean or null. `in`: one of up to 100 of these. `exists`: whether a value exists (true or false). `above`, `below`: numbers, or instants as RFC 3339 text. `contains`, `startsWith`: a part of the text. If the path has no value, only `isNot`, and `exists` with false, match.
             * @enum {string}
             */
            op: "is" | "isNot" | "in" | "exists" | "above" | "below" | "contains" | "startsWith";
            /**
             * @description A path in the event: `id`, `type`, `createdAt` or `data`, followed by field names separated by dots. A path to or through a list matches if one of the items matches.
             * @example data.product.status
             */
            path: string;
            /**
             * @description The value for `op`.
             * @example active
             */
            value: string | number | boolean | null | (string | number | boolean | null)[];
        };
        WebhookInput: {
            /** @example null */
            batch?: components["schemas"]["BatchRule"] | null;
            /** @example null */
            clientCertificate?: {
                /**
                 * @description PEM; the certificates of its issuers can follow.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                certificate: string;
                /**
                 * @description PEM, without a passphrase. Never returned; if omitted with the same certificate, the stored key stays.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                key?: string;
            } | null;
            /** @description Empty by default. */
            description?: string;
            destination?: {
                /** @enum {string} */
                kind: "http";
            } | {
                /**
                 * @description Empty for the default exchange, whose routing keys are names of queues.
                 * @example events
                 */
                exchange: string;
                /** @enum {string} */
                kind: "rabbitmq";
                /** @example waybill */
                routingKey: string;
                /**
                 * @description amqp or amqps, with user name and password, which are returned as `***`.
                 * @example amqps://waybill:***@rabbit.example.com:5671/shop
                 */
                url: string;
            } | {
                /** @example AKIAIOSFODNN7EXAMPLE */
                accessKeyId: string;
                /** @enum {string} */
                kind: "sqs";
                /** @example https://sqs.eu-west-1.amazonaws.com/123456789012/waybill */
                queueUrl: string;
                /** @example eu-west-1 */
                region: string;
                /**
                 * @description Returned as `***`.
                 * @example ***
                 */
                secretAccessKey: string;
            };
            /** @description The number of days with failures and no success after which the webhook is disabled. Null: never. */
            disableAfterDays?: number | null;
            /** @description Duplicates count once. */
            events: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            failureAlerts?: components["schemas"]["FailureAlertRule"] | null;
            /** @description Conditions that an event, as this webhook can read it, must all meet. Null for every event. */
            filter?: components["schemas"]["WebhookFilterCondition"][] | null;
            /**
             * @description `cloudevents`: CloudEvents 1.0, structured mode.
             * @enum {string}
             */
            format?: "envelope" | "cloudevents";
            /**
             * @description At most 20 headers of your own, by name; printable ASCII. Values of headers listed in `secretHeaders` are returned as `***`, and stay unchanged if that is sent back.
             * @example {
             *       "X-Tenant": "shop-7"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /** @description Whether a `Retry-After` of at most 24 hours with 429 or 503 postpones the next attempt. */
            honorsRetryAfter?: boolean;
            /** @description The maximum number of calls started per second, including retries, replays and tests. */
            maxPerSecond?: number | null;
            /**
             * @description `resource`: calls about the same resource are made one after another, in the order of its events.
             * @enum {string|null}
             */
            ordering?: "resource" | null;
            /**
             * @description Seconds before each retry. Null for the default schedule; empty for no retries.
             * @example [
             *       60,
             *       300
             *     ]
             */
            retryDelays?: number[] | null;
            /** @description The names of `headers` whose values are secret. */
            secretHeaders?: string[];
            /** @description Whether a 410 ends the delivery. */
            stopsOnGone?: boolean;
            /** @description http or https, without credentials, at most 2,048 characters. Required, except with a `destination` that is a queue, where it is ignored. */
            url?: string | null;
        };
        WebhookReplacement: {
            /** @example null */
            batch?: components["schemas"]["BatchRulePatch"] | null;
            /** @example null */
            clientCertificate?: {
                /**
                 * @description PEM; the certificates of its issuers can follow.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                certificate?: string;
                /**
                 * @description PEM, without a passphrase. Never returned; if omitted with the same certificate, the stored key stays.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                key?: string;
            } | null;
            /** @description Empty by default. */
            description?: string;
            destination?: {
                /** @enum {string} */
                kind: "http";
            } | {
                /**
                 * @description Empty for the default exchange, whose routing keys are names of queues.
                 * @example events
                 */
                exchange?: string;
                /** @enum {string} */
                kind?: "rabbitmq";
                /** @example waybill */
                routingKey?: string;
                /**
                 * @description amqp or amqps, with user name and password, which are returned as `***`.
                 * @example amqps://waybill:***@rabbit.example.com:5671/shop
                 */
                url?: string;
            } | {
                /** @example AKIAIOSFODNN7EXAMPLE */
                accessKeyId?: string;
                /** @enum {string} */
                kind?: "sqs";
                /** @example https://sqs.eu-west-1.amazonaws.com/123456789012/waybill */
                queueUrl?: string;
                /** @example eu-west-1 */
                region?: string;
                /**
                 * @description Returned as `***`.
                 * @example ***
                 */
                secretAccessKey?: string;
            };
            /** @description The number of days with failures and no success after which the webhook is disabled. Null: never. */
            disableAfterDays?: number | null;
            /** @description Duplicates count once. */
            events: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            failureAlerts?: components["schemas"]["FailureAlertRulePatch"] | null;
            /** @description Conditions that an event, as this webhook can read it, must all meet. Null for every event. */
            filter?: components["schemas"]["WebhookFilterCondition"][] | null;
            /**
             * @description `cloudevents`: CloudEvents 1.0, structured mode.
             * @enum {string}
             */
            format?: "envelope" | "cloudevents";
            /**
             * @description At most 20 headers of your own, by name; printable ASCII. Values of headers listed in `secretHeaders` are returned as `***`, and stay unchanged if that is sent back.
             * @example {
             *       "X-Tenant": "shop-7"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /** @description Whether a `Retry-After` of at most 24 hours with 429 or 503 postpones the next attempt. */
            honorsRetryAfter?: boolean;
            /** @description The maximum number of calls started per second, including retries, replays and tests. */
            maxPerSecond?: number | null;
            /**
             * @description `resource`: calls about the same resource are made one after another, in the order of its events.
             * @enum {string|null}
             */
            ordering?: "resource" | null;
            /**
             * @description Seconds before each retry. Null for the default schedule; empty for no retries.
             * @example [
             *       60,
             *       300
             *     ]
             */
            retryDelays?: number[] | null;
            /** @description The names of `headers` whose values are secret. */
            secretHeaders?: string[];
            /**
             * @description `active` by default; `failing` is accepted only while the webhook is failing.
             * @enum {string}
             */
            status?: "active" | "disabled" | "failing";
            /** @description Whether a 410 ends the delivery. */
            stopsOnGone?: boolean;
            /** @description http or https, without credentials, at most 2,048 characters. Required, except with a `destination` that is a queue, where it is ignored. */
            url?: string | null;
        };
        WebhookReplay: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            finishedAt: string | null;
            id: string;
            /** @description The number of matching events so far. */
            matched: number;
            /** @description The number of calls that were made, are about to be made, or were cancelled with the replay. */
            sent: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            since: string;
            /**
             * @description `done`: each call was made once; failed calls are retried like any other.
             * @enum {string}
             */
            state: "running" | "done" | "cancelled";
            statuses: ("dead" | "cancelled" | "delivered" | "never")[];
            types: ("order.created" | "order.updated" | "payment.updated" | "fulfillment.created" | "fulfillment.updated" | "document.issued" | "refund.created" | "return.updated" | "customer.created" | "customer.updated" | "customer.deleted" | "product.created" | "product.updated" | "product.deleted" | "category.created" | "category.updated" | "category.deleted" | "page.published" | "page.unpublished" | "form.submitted" | "course.enrolled" | "course.revoked")[];
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            until: string;
        };
        WebhookStats: {
            /** @description By hour, oldest first, including hours without attempts. */
            buckets: {
                delivered: number;
                failed: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T10:00:00.000Z
                 */
                start: string;
            }[];
            /** @description The number of accepted attempts. */
            delivered: number;
            /** @description The number of failed attempts. */
            failed: number;
            /** @description Over all attempts, accurate to within a twentieth; null if there were none. */
            p50Ms: number | null;
            /** @description Over all attempts, accurate to within a twentieth; null if there were none. */
            p95Ms: number | null;
            /** @description The number of deliveries that are still open. */
            pending: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** The error codes of the API. */
export type ErrorCode =
  | 'already_installed'
  | 'already_member'
  | 'amount_exceeded'
  | 'api_key_required'
  | 'app_installed'
  | 'app_token_invalid'
  | 'block_vocabulary_unavailable'
  | 'blocked_url'
  | 'body_too_large'
  | 'consent_required'
  | 'cross_origin'
  | 'cursor_expired'
  | 'cycle_detected'
  | 'discount_rejected'
  | 'duplicate_block_key'
  | 'duplicate_code'
  | 'duplicate_email'
  | 'duplicate_island_name'
  | 'duplicate_key'
  | 'duplicate_name'
  | 'duplicate_sku'
  | 'duplicate_slug'
  | 'email_unverified'
  | 'empty_file'
  | 'file_too_large'
  | 'folder_not_empty'
  | 'idempotency_conflict'
  | 'idempotency_in_progress'
  | 'idempotency_key_required'
  | 'idempotency_key_reused'
  | 'image_storage_unavailable'
  | 'insufficient_role'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_barcode'
  | 'invalid_block'
  | 'invalid_block_subtree'
  | 'invalid_body'
  | 'invalid_client'
  | 'invalid_code'
  | 'invalid_credential'
  | 'invalid_credentials'
  | 'invalid_cursor'
  | 'invalid_custom_field'
  | 'invalid_document'
  | 'invalid_event'
  | 'invalid_form'
  | 'invalid_grant'
  | 'invalid_idempotency_key'
  | 'invalid_island_name'
  | 'invalid_key'
  | 'invalid_login'
  | 'invalid_owner'
  | 'invalid_payment_method'
  | 'invalid_price'
  | 'invalid_quantity'
  | 'invalid_refresh_token'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_shipping_rate'
  | 'invalid_signature'
  | 'invalid_slug'
  | 'invalid_state'
  | 'invalid_status'
  | 'invalid_template'
  | 'invalid_token'
  | 'invalid_translation'
  | 'invalid_vat_id'
  | 'island_module_not_text'
  | 'island_module_too_large'
  | 'island_name_required'
  | 'island_no_module'
  | 'island_not_found'
  | 'key_revoked'
  | 'key_unusable'
  | 'last_owner'
  | 'media_in_use'
  | 'missing_credential'
  | 'missing_file'
  | 'no_events'
  | 'no_shipping'
  | 'not_draft'
  | 'not_found'
  | 'nothing_to_publish'
  | 'org_not_empty'
  | 'out_of_stock'
  | 'payment_method_required'
  | 'precondition_failed'
  | 'provider_payment'
  | 'provider_refused'
  | 'quota_exceeded'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'refresh_token_not_accepted'
  | 'request_timeout'
  | 'resource_unavailable'
  | 'return_window_closed'
  | 'reviewer_required'
  | 'seller_incomplete'
  | 'too_many_api_keys'
  | 'too_many_apps'
  | 'too_many_articles'
  | 'too_many_blocks'
  | 'too_many_blog_categories'
  | 'too_many_categories'
  | 'too_many_codes'
  | 'too_many_custom_fields'
  | 'too_many_customers'
  | 'too_many_discounts'
  | 'too_many_documents'
  | 'too_many_domains'
  | 'too_many_folders'
  | 'too_many_fulfillments'
  | 'too_many_invitations'
  | 'too_many_islands'
  | 'too_many_keys'
  | 'too_many_members'
  | 'too_many_notes'
  | 'too_many_orgs'
  | 'too_many_own_stores'
  | 'too_many_pages'
  | 'too_many_payment_methods'
  | 'too_many_products'
  | 'too_many_rule_members'
  | 'too_many_sections'
  | 'too_many_slugs'
  | 'too_many_stores'
  | 'too_many_translations'
  | 'too_many_versions'
  | 'too_many_webhooks'
  | 'total_changed'
  | 'totp_required'
  | 'unknown_element_type'
  | 'unknown_island'
  | 'unknown_trait_widget'
  | 'unknown_write_key'
  | 'unsupported_body_type'
  | 'unsupported_grant_type'
  | 'unsupported_type'
  | 'user_token_required';
