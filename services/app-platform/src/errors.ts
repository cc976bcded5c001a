import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of the app platform in addition to the shared ones: `store-api.md 7.2–7.4`, `decisions.md 7`. */
export const errors = {
  ...shared,
  ...defineErrors({
    reviewer_required: [403, 'Only a reviewer of the platform may do this.'],
    email_unverified: [409, 'Verify your e-mail address first; POST /api/auth/verification sends a link.'],
    already_member: [409, 'This user is already a member of the organisation.'],
    last_owner: [409, 'An organisation keeps at least one owner; make another member an owner first.'],
    too_many_invitations: [409, 'At most 10,000 invitations may be open; withdraw some.'],
    too_many_members: [409, 'An organisation has at most 10,000 members; remove some.'],
    too_many_orgs: [409, 'A user owns at most 10,000 organisations; transfer some of them to others.'],
    too_many_apps: [409, 'An organisation has at most 10,000 apps; delete some.'],
    too_many_versions: [
      409,
      'An app has at most 1,000 drafts and submitted versions, and 10,000 in all; delete some.',
    ],
    app_installed: [409, 'This is installed in at least one store, so it cannot be deleted.'],
    org_not_empty: [409, 'This organisation still has apps or open development stores; remove them first.'],
    not_draft: [409, 'This version is no longer a draft; its contributions cannot change.'],

    too_many_blocks: [409, 'A version contributes at most 24 blocks.'],
    block_vocabulary_unavailable: [503, 'The names cannot be checked right now; nothing was stored.'],
    invalid_block: [400, 'A block does not match its schema.'],
    duplicate_block_key: [409, 'Two blocks share a key.'],
    invalid_block_subtree: [400, 'The nodes of a block do not form one tree from its rootId.'],
    unknown_element_type: [400, 'A node has a type that the platform cannot render.'],
    unknown_island: [409, 'A node names an island that the version does not declare.'],
    unknown_trait_widget: [400, 'A trait names a widget that the editor does not have.'],
    unknown_write_key: [400, 'A trait names a writeKey that its target does not have.'],

    invalid_island_name: [400, 'An island name is a lower-case slug.'],
    duplicate_island_name: [409, 'Two islands share a name.'],
    too_many_islands: [409, 'A version declares at most 12 islands.'],
    island_name_required: [400, 'Name the island that the module is for: ?name=.'],
    island_not_found: [404, 'The version does not declare an island of that name.'],
    island_module_not_text: [400, 'A module is non-empty UTF-8 text.'],
    island_module_too_large: [413, 'A module is at most 512 KiB.'],
    island_no_module: [409, 'A declared island has no module.'],
    image_storage_unavailable: [503, 'This deployment cannot store uploads.'],

    consent_required: [409, 'Agree to exactly the scopes and connect origins that the version asks for.'],
    invalid_request: [400, 'A code requires PKCE: send codeChallenge (S256).'],
    already_installed: [409, 'This app is already installed.'],

    unsupported_type: [400, 'The icon is not a complete PNG or WebP with one still picture.'],
    file_too_large: [413, 'An icon is at most 256 KiB.'],

    blocked_url: [400, 'The URL leads to an address that webhooks must not call.'],

    invalid_key: [
      400,
      'A key consists of at most 64 lower-case letters, digits, dots, hyphens and underscores, and starts with a letter or digit.',
    ],
    invalid_owner: [400, 'The owner is the site, or a product identified by its ID.'],
    too_many_keys: [409, 'The app already has 500 values in this store.'],
  }),
};
