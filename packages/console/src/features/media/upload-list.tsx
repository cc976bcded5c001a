import { useStore } from '../../api/me.ts';
import { explain, useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Progress, Row } from '../../ui/layout.tsx';
import style from './media.module.css';
import { useMediaTexts } from './texts.ts';
import { type Upload, uploading, useUploads } from './uploads.ts';

/** The uploads in progress and those that failed. */
export function Uploads() {
  const words = useMediaTexts();
  const store = useStore();
  const uploads = useUploads(store.id);
  if (uploads.length === 0) return null;
  const open = uploads.filter(({ state }) => state === 'waiting' || state === 'running');
  const summary = open.length > 0 ? words.uploadsOpen({ count: open.length }) : words.uploadsOver;
  return (
    <Card
      title={words.uploads}
      actions={
        <Button size="small" onPress={uploading.clear}>
          {words.clearUploads}
        </Button>
      }
    >
      <p role="status">{summary}</p>
      <ul className={style.uploads}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </Card>
  );
}

function UploadRow({ upload: { id, file, state, share, error } }: { upload: Upload }) {
  const words = useMediaTexts();
  const common = useCommon();
  const isOpen = state === 'waiting' || state === 'running';
  return (
    <li>
      {state === 'running' ? (
        <Progress label={file.name} value={share} />
      ) : (
        <span>
          {file.name} <small>{words.uploadState[state]}</small>
          {state === 'failed' && <small className={style.failed}>{explain(error, common)}</small>}
        </span>
      )}
      <Row>
        {isOpen && (
          <Button
            size="small"
            aria-label={words.stop({ name: file.name })}
            onPress={() => uploading.stop(id)}
          >
            {common.cancel}
          </Button>
        )}
        {(state === 'failed' || state === 'stopped') && (
          <Button
            size="small"
            aria-label={words.retry({ name: file.name })}
            onPress={() => uploading.retry(id)}
          >
            {common.retry}
          </Button>
        )}
      </Row>
    </li>
  );
}
