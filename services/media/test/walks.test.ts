import { checkWalks, type TestSystem } from '@waybill/testing';
import { newLibrary, startMedia } from './library.ts';
import { samples } from './samples.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startMedia();
});
afterAll(() => system.stop());

const path = '/api/v1/media';

test('paging through media returns every unchanged asset once', () =>
  checkWalks(
    async () => {
      const library = await newLibrary(system);
      return {
        async page(query) {
          const { body } = await library.get(`${path}?${query}`);
          return { ids: body.media.map(({ id }: { id: string }) => id), nextCursor: body.nextCursor };
        },
        add: async (value) =>
          (await library.upload(samples.png!.bytes, { name: `Tea ${value}` })).body.media.id,
        async remove(id) {
          await library.remove(`${path}/${id}`);
        },
        change: (id, value) => library.patch(`${path}/${id}`, { name: `Tea ${value}` }),
      };
    },
    ['created', 'name', 'size'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((dir) => ['', '&q=tea'].map((filter) => `sort=${sort}&dir=${dir}${filter}`)),
    ),
  ));
