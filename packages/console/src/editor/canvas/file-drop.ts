import type { PageDocument } from '@waybill/page';
import { toast } from '../../ui/toasts.tsx';
import { insertPlace, loadOf, refusalAt } from '../core/drop.ts';
import { freshId } from '../core/tree.ts';
import type { Workbench } from '../screen/workbench.ts';
import { Aim } from './aim.ts';
import { insertAll } from './clipboard.ts';
import { hasFiles } from './has-files.ts';
import type { Surface } from './surface.ts';

/**
 * Accepts files dropped on the canvas or among the layers: pictures and videos become elements, other files links to
 * them. Returns the function that ends it.
 */
export function takeFiles(workbench: Workbench, surface: Surface): () => void {
  const stop = new AbortController();
  let aim: Aim | undefined;
  const end = () => {
    aim?.end();
    aim = undefined;
  };

  function onOver(event: DragEvent, isFrame: boolean): void {
    if (!hasFiles(event) || !workbench.canWrite) return;
    // A field for a picture handles the file itself.
    if (!isFrame && (event.target as Element).closest?.('[data-file-field]')) {
      end();
      return;
    }
    aim ??= new Aim(workbench, surface, loadOf([fileFragment(typeOf(event))]), false);
    const { clientX: x, clientY: y } = event;
    aim.at(isFrame ? surface.inWindow({ x, y }) : { x, y });
    if (!aim.place && !isFrame) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = aim.place ? 'copy' : 'none';
  }

  function onDrop(event: DragEvent): void {
    const place = aim?.place;
    end();
    if (!place || !hasFiles(event)) return;
    event.preventDefault();
    void put(workbench, surface, [...event.dataTransfer!.files], place);
  }

  const frame = surface.frame.document.defaultView!;
  for (const [target, isFrame] of [
    [window, false],
    [frame, true],
  ] as const) {
    const options = { signal: stop.signal, capture: true };
    target.addEventListener('dragenter', (event) => onOver(event as DragEvent, isFrame), options);
    target.addEventListener('dragover', (event) => onOver(event as DragEvent, isFrame), options);
    target.addEventListener('drop', (event) => onDrop(event as DragEvent), options);
    target.addEventListener(
      'dragleave',
      (event) => (event as DragEvent).relatedTarget === null && end(),
      options,
    );
  }
  return () => {
    end();
    stop.abort();
  };
}

async function put(
  workbench: Workbench,
  surface: Surface,
  files: readonly File[],
  wanted: { readonly parentId: string; readonly index: number },
): Promise<void> {
  const { words } = surface;
  if (files.length === 0) return;
  toast(words.uploading(files.length), 'neutral');
  const fragments: PageDocument[] = [];
  for (const file of files) {
    const mediaId = await workbench.upload(file);
    if (mediaId === undefined) break;
    fragments.push(fileFragment(file.type, { storeId: workbench.storeId, mediaId, name: file.name }));
  }
  if (fragments.length === 0) return;
  const { vocabulary, state } = workbench.editor;
  const load = loadOf(fragments);
  // The page may have changed during the upload.
  const isThere =
    state.tree.nodes.has(wanted.parentId) && !refusalAt(vocabulary, state.tree, wanted.parentId, load);
  const place = isThere ? wanted : insertPlace(vocabulary, state.tree, state.selection, load);
  if (place) insertAll(workbench, fragments, place, words.inserted);
  else workbench.refuse({ pointer: '', message: words.clipboard.noPlace });
  surface.focus();
}

/** Returns the type of the first file, which is known before the files themselves. */
const typeOf = ({ dataTransfer }: DragEvent): string => dataTransfer?.items[0]?.type ?? '';

function fileFragment(
  contentType: string,
  stored?: { readonly storeId: string; readonly mediaId: string; readonly name: string },
): PageDocument {
  const id = freshId();
  const name = stored?.name ?? '';
  const src = stored && { src: stored.mediaId };
  if (contentType.startsWith('image/'))
    return { rootId: id, nodes: [{ id, type: 'image', props: { specials: { ...src } } }] };
  if (contentType.startsWith('video/'))
    return {
      rootId: id,
      nodes: [{ id, type: 'video', props: { specials: { ...src, title: name } } }],
    };
  const url = stored && `/media/${stored.storeId}/${stored.mediaId}`;
  const specials = { text: name, ...(url && { href: { type: 'url', url } }) };
  return { rootId: id, nodes: [{ id, type: 'link', props: { specials }, children: [] }] };
}
