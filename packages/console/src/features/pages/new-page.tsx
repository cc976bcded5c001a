import { useQuery } from '@tanstack/react-query';
import type { PageDocument } from '@waybill/page';
import { useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { PageFrame } from '../../shell/page-frame.tsx';
import { liveSheetQuery } from '../../shell/theme.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { PictureChoices } from '../../ui/picture-choices.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Page, pagesKey, readDraft } from './queries.ts';
import { type DrawnStart, startsQuery } from './start-queries.ts';
import { type StartId, startIds } from './starts.ts';
import { usePageStartTexts, usePageTexts } from './texts.ts';

const blank = 'blank';

const isStart = (id: string): id is StartId => startIds.some((start) => start === id);

/** Creates a page: blank, from a start, or as a copy of another page. */
export default function NewPageDialog({
  pages,
  original,
  onClose,
}: {
  pages: readonly Page[];
  original: Page | null;
  onClose(): void;
}) {
  const words = usePageTexts();
  const startWords = usePageStartTexts();
  const common = useCommon();
  const store = useStore();
  const { data: drawn } = useQuery({ ...startsQuery(store.id, startWords), enabled: original === null });
  const [name, setName] = useState(original ? words.copyOf({ name: original.name }) : '');
  const [isNamed, setNamed] = useState(false);
  const [slug, setSlug] = useState('');
  const [from, setFrom] = useState(original?.id ?? blank);

  function choose(id: string) {
    setFrom(id);
    // The page is named after its start until the user has typed a name.
    if (!isNamed && original === null) setName(isStart(id) ? startWords.names[id] : '');
  }

  // Memoised, because there may be hundreds of pages and each letter of the name renders the dialog.
  const others = useMemo(
    () => (
      <Select
        label={words.beginWith}
        choices={[
          { id: blank, text: words.blank },
          ...pages.map((page) => ({ id: page.id, text: words.as({ name: page.name }) })),
        ]}
        value={from}
        onChange={setFrom}
      />
    ),
    [pages, words, from],
  );
  const create = useMutation(
    () => {
      const source = pages.find(({ id }) => id === from);
      const document = isStart(from) ? drawn?.[from].document : undefined;
      return createPage(store.id, { name: name.trim(), slug, source, document });
    },
    {
      done: words.created,
      invalidates: [pagesKey(store.id)],
      // A copy has its content already, so its settings come first.
      onDone: ({ id }) =>
        navigate(paths.inStore(store.id, 'pages', id, ...(original === null ? ['edit'] : []))),
    },
  );
  return (
    <Dialog title={words.new} isOpen onClose={onClose} size={original ? 'small' : 'large'}>
      <Form mutation={create} onSubmit={() => void create.run(undefined)}>
        <TextField
          label={common.name}
          name="/name"
          value={name}
          onChange={(next) => {
            setName(next);
            setNamed(true);
          }}
          isRequired
          autoFocus
          maxLength={200}
        />
        <TextField label={words.slug} hint={words.slugHint} name="/slug" value={slug} onChange={setSlug} />
        {original ? others : <StartChoices drawn={drawn} value={from} onChange={choose} />}
        <Actions>
          <Button
            look="primary"
            type="submit"
            isPending={create.isPending}
            isDisabled={isStart(from) && !drawn}
          >
            {common.create}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Creates a page with a document, or as a copy of another page. */
async function createPage(
  storeId: string,
  {
    name,
    slug,
    source,
    document: given,
  }: { name: string; slug: string; source: Page | undefined; document: PageDocument | undefined },
): Promise<Page> {
  const document = given ?? (source && (await readDraft(storeId, source.id)).document);
  const path = { storeId };
  const { page } = await api.post('/api/stores/{storeId}/pages', {
    params: { path },
    body: { name, ...(slug && { slug }), ...(source && { settings: source.settings }) },
  });
  if (document) {
    const put = api.put('/api/stores/{storeId}/pages/{pageId}/draft', {
      params: { path: { ...path, pageId: page.id } },
      body: { document: document as never },
    });
    // A page without its document is deleted again.
    await put.catch(async (error) => {
      await api.delete('/api/stores/{storeId}/pages/{id}', {
        params: { path: { ...path, id: page.id } },
      });
      throw error;
    });
  }
  return page;
}

/** A choice of pictures: the blank page, and each start as it looks in the store. */
function StartChoices({
  drawn,
  value,
  onChange,
}: {
  drawn: Readonly<Record<StartId, DrawnStart>> | undefined;
  value: string;
  onChange(id: string): void;
}) {
  const startWords = usePageStartTexts();
  return (
    <PictureChoices
      label={startWords.beginWith}
      choices={[
        { id: blank, text: startWords.blank, picture: null },
        ...startIds.map((id) => ({
          id: id as string,
          text: startWords.names[id],
          picture: <Thumbnail label={startWords.names[id]} drawn={drawn?.[id]} />,
        })),
      ]}
      value={value}
      onChange={onChange}
    />
  );
}

/** A thumbnail of a start, in the store's theme and with its products. */
function Thumbnail({ label, drawn }: { label: string; drawn: { html: string; css: string } | undefined }) {
  const store = useStore();
  const { data: sheet } = useQuery(liveSheetQuery(store.id));
  if (!drawn || sheet === undefined) return null;
  return (
    <PageFrame
      label={label}
      drawn={{ html: drawn.html, css: `${drawn.css}${sheet}` }}
      device="desktop"
      isPicture
    />
  );
}
