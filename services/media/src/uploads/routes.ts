import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { Item } from '../assets/routes.ts';
import { errors } from '../errors.ts';

const uploadErrors = [
  errors.invalid_body,
  errors.missing_file,
  errors.empty_file,
  errors.unsupported_type,
  errors.not_found,
  errors.request_timeout,
  errors.file_too_large,
  errors.quota_exceeded,
  errors.resource_unavailable,
];

/** `store-api.md 4.6`. */
export const routes = defineRoutes({
  uploadMedia: {
    method: 'POST',
    path: '/api/v1/media',
    access: { scope: 'media.write' },
    summary: 'Upload a file',
    description:
      'Parts can come in any order. The type is determined from the bytes. An unknown folder is `not_found`.',
    streamedBodies: {
      'multipart/form-data': Type.Object({
        file: Type.String({ format: 'binary', description: 'At most 25 MiB.' }),
        folderId: Type.Optional(Type.String({ description: 'Omitted or empty: the root.' })),
        name: Type.Optional(
          Type.String({ maxLength: 200, description: "Omitted or empty: the file's name." }),
        ),
      }),
    },
    idempotency: 'handler',
    answer: [201, Item],
    errors: uploadErrors,
  },
});
