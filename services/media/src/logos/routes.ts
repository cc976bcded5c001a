import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Internal routes for documents and mails: `decisions.md 23.5, 23.7`. */
export const routes = defineRoutes({
  renderLogo: {
    method: 'POST',
    path: '/internal/assets/logo',
    access: 'service',
    summary: 'An image as documents and mails show a logo: a PNG, in base64',
    body: Type.Object({ storeId: Type.String(), id: Type.String() }),
    answer: [200, Type.Object({ png: Type.String() })],
  },
});
