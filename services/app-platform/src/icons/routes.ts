import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { AppItem } from '../apps/routes.ts';
import { errors } from '../errors.ts';

/** Limits of an icon: bytes, and pixels on each side. */
export const iconLimits = { bytes: 256 * 1024, least: 64, most: 1024 } as const;

const ids = { orgId: 'organisation', appId: 'app' } as const;
const path = '/api/orgs/{orgId}/apps/{appId}/icon';
const binary = Type.String({ format: 'binary' });

/** `decisions.md 14.2`. */
export const routes = defineRoutes({
  putIcon: {
    method: 'PUT',
    path,
    access: 'user',
    summary: "Set an app's icon",
    description:
      'The body is the bytes of a PNG or WebP, recognised by content: one still picture, square, ' +
      `${iconLimits.least} to ${iconLimits.most} pixels wide, at most ${iconLimits.bytes / 1024} KiB.`,
    ids,
    streamedBodies: { 'image/png': binary, 'image/webp': binary },
    idempotency: 'handler',
    answer: [200, AppItem],
    errors: [errors.unsupported_type, errors.file_too_large, errors.image_storage_unavailable],
  },
  deleteIcon: {
    method: 'DELETE',
    path,
    access: 'user',
    summary: "Delete an app's icon",
    description: 'The directory then shows a drawn letter instead. Succeeds if there is no icon.',
    ids,
    answer: [204, null],
  },
  getIcon: {
    method: 'GET',
    path: '/app-icons/{file}',
    access: 'public',
    summary: "Download an app's icon: `<sha256>.png` or `<sha256>.webp`",
    description: 'Served while an app has it. Never changes, so it can be cached forever.',
    answer: [200, binary],
    contentType: 'image/*',
    errors: [errors.not_found, errors.resource_unavailable],
  },
});
