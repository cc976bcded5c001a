import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Internal routes for documents and mails: `decisions.md 23.5, 23.7`. */
export const routes = defineRoutes({
  renderLogo: {
    method: 'POST',
    path: '/internal/assets/logo',
    access: 'service',
    summary: 'Convert an image to a logo for documents and mails: a PNG in base64',
    body: Type.Object({ storeId: Type.String(), id: Type.String() }),
    answer: [200, Type.Object({ png: Type.String() })],
  },
});
