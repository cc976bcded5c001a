import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const names = Type.Object(
  {},
  { additionalProperties: true, description: 'By name: a description, or the accepted values.' },
);

const Item = Type.Object({
  vocabulary: Type.Object(
    {
      version: Type.String(),
      elementTypes: names,
      widgets: names,
      writeKeys: Type.Object({ style: names, config: names, specials: names }),
    },
    { $id: 'Vocabulary' },
  ),
});

/** `decisions.md 4.3`. */
export const routes = defineRoutes({
  getVocabulary: {
    method: 'GET',
    path: '/api/stores/{storeId}/vocabulary',
    access: { member: 'pages.read' },
    summary: 'Read the vocabulary of page elements',
    description:
      'The element types with their allowed children, the controls, and the keys of styles, settings and ' +
      'contents, each with its type.',
    ids: { storeId: 'store' },
    answer: [200, Item],
  },
  readVocabulary: {
    method: 'GET',
    path: '/internal/vocabulary',
    access: 'service',
    summary: 'Read the vocabulary of page elements, for the service that validates blocks',
    answer: [200, Item],
  },
});
