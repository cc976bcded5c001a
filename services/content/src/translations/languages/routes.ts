import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const Languages = Type.Object({
  default: Type.String({ description: 'The language that the store is written in.', examples: ['en'] }),
  others: Type.Array(Type.String(), { examples: [['de']] }),
});

/** `decisions.md 17.6`. */
export const routes = defineRoutes({
  getLanguages: {
    method: 'GET',
    path: '/api/stores/{storeId}/translations/languages',
    access: { member: 'translations.read' },
    summary: "Read the languages of a store's pages",
    description:
      'The languages in the store’s `locales`, or else English and the first 20 languages with translations. ' +
      '`others` have addresses of their own.',
    ids: { storeId: 'store' },
    answer: [200, Type.Object({ languages: Languages })],
    isItem: false,
  },
});
