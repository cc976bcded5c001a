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
      'Its number is not given again. A version that was submitted stays (`invalid_state`): recall it first. One that a ' +
      'store has installed stays as well (`app_installed`).',
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
      'With its versions and its icon. What it kept in stores that have uninstalled it goes too: it cannot come back. ' +
      'While a store has it, disabled or suspended as well: `app_installed`.',
    ids: app,
    answer: [204, null],
    errors: [errors.app_installed],
  },
  deleteOrg: {
    method: 'DELETE',
    path: '/api/orgs/{orgId}',
    access: 'user',
    summary: 'Delete an empty organisation',
    description: 'For owners. One that has apps or open development stores: `org_not_empty`.',
    ids: org,
    idempotency: 'handler',
    answer: [204, null],
    errors: [errors.org_not_empty],
  },
});
