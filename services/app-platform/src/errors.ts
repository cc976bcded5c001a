import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of the app platform in addition to the shared ones: `store-api.md 7.2–7.4`, `decisions.md 7`. */
export const errors = {
  ...shared,
  ...defineErrors({
    reviewer_required: [403, 'Only a reviewer of the platform may do this.'],
    email_unverified: [409, 'Verify your e-mail address first; POST /api/auth/verification sends a link.'],
    already_member: [409, 'This user is a member of the organisation already.'],
    last_owner: [409, 'An organisation keeps at least one owner; make another member an owner first.'],
    too_many_invitations: [409, 'At most 10,000 invitations may be open; withdraw some.'],
    too_many_members: [409, 'An organisation has at most 10,000 members; remove some.'],
    too_many_orgs: [409, 'One person owns at most 10,000 organisations; leave some of them to others.'],
    too_many_apps: [409, 'An organisation has at most 10,000 apps; delete some.'],
    too_many_versions: [
      409,
      'An app has at most 1,000 drafts and submitted versions, and 10,000 in all; delete some.',
    ],
    app_installed: [409, 'Stores have this installed; it can be deleted when none has.'],
    org_not_empty: [409, 'This organisation still has something; delete that first.'],
    not_draft: [409, 'This version has left draft; what it contributes no longer changes.'],

    too_many_blocks: [409, 'A version contributes at most 24 blocks.'],
    block_vocabulary_unavailable: [503, 'The names cannot be checked right now; nothing was stored.'],
    invalid_block: [400, 'A block breaks a rule of its shape.'],
    duplicate_block_key: [409, 'Two blocks share a key.'],
    invalid_block_subtree: [400, 'The nodes of a block do not form one tree from its rootId.'],
    unknown_element_type: [400, 'A node has a type that the platform does not render.'],
    unknown_island: [409, 'A node names an island that the version does not declare.'],
    unknown_trait_widget: [400, 'A trait names a widget that the editor does not have.'],
    unknown_write_key: [400, 'A trait names a writeKey that its target does not have.'],

    invalid_island_name: [400, 'An island name is a lower-case slug.'],
    duplicate_island_name: [409, 'Two islands share a name.'],
    too_many_islands: [409, 'A version declares at most 12 islands.'],
    island_name_required: [400, 'Name the island that the module is for: ?name=.'],
    island_not_found: [404, 'The version declares no island of that name.'],
    island_module_not_text: [400, 'A module is non-empty UTF-8 text.'],
    island_module_too_large: [413, 'A module is at most 512 KiB.'],
    island_no_module: [409, 'A declared island has no module.'],
    image_storage_unavailable: [503, 'This deployment cannot store uploads.'],

    consent_required: [409, 'Agree to exactly the scopes and connect origins that the version asks for.'],
    invalid_request: [400, 'A code needs PKCE: give codeChallenge (S256).'],
    already_installed: [409, 'This app is installed already.'],

    unsupported_type: [400, 'The icon is not a whole PNG or WebP of one still picture.'],
    file_too_large: [413, 'An icon is at most 256 KiB.'],

    blocked_url: [400, 'The URL leads to an address that webhook calls must not go to.'],

    invalid_key: [
      400,
      'A key is made of at most 64 lower-case letters, digits, dots, hyphens and underscores, the first a letter or digit.',
    ],
    invalid_owner: [400, 'The owner is the site, or a product named by its id.'],
    too_many_keys: [409, 'The app keeps 500 values in this store already.'],
  }),
};
