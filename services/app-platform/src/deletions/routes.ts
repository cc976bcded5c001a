import { defineRoutes } from '@waybill/kernel';
import { errors } from '../errors.ts';

const org = { orgId: 'organisation' } as const;
const app = { ...org, appId: 'app' } as const;

/** `decisions.md 14.7`. */
export const routes = defineRoutes({
  deleteVersion: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}',
    access: 'user',
    summary: 'Delete a draft',
    description:
      'The version number is not reused. A submitted version cannot be deleted (`invalid_state`): recall it ' +
      'first. Nor can a version that a store has installed (`app_installed`).',
    ids: { ...app, versionId: 'appVersion' },
    answer: [204, null],
    errors: [errors.invalid_state, errors.app_installed],
  },
  deleteApp: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}/apps/{appId}',
    access: 'user',
    summary: 'Delete an app that no store has installed',
    description:
      'Also deletes its versions, its icon, and its data in stores that have uninstalled it: it cannot come ' +
      'back. `app_installed` while a store has it, even if disabled or suspended.',
    ids: app,
    answer: [204, null],
    errors: [errors.app_installed],
  },
  deleteOrg: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}',
    access: 'user',
    summary: 'Delete an empty organisation',
    description: 'For owners. `org_not_empty` if the organisation has apps or open development stores.',
    ids: org,
    idempotency: 'handler',
    answer: [204, null],
    errors: [errors.org_not_empty],
  },
});
