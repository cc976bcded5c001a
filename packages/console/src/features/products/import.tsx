import { lazy, Suspense } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Card, Notice, Progress, Screen } from '../../ui/layout.tsx';
import { useImport } from './import-state.ts';
import style from './products.module.css';
import { useProductTexts } from './texts.ts';
import type { KeptImport } from './transfer.ts';

/** The plan loads once a file is chosen. */
const ImportPlan = lazy(async () => ({ default: (await import('./import-plan.tsx')).ImportPlan }));

/** Imports products from a file. It shows the changes first and can resume an interrupted import. */
export function ImportScreen() {
  const words = useProductTexts();
  const store = useStore();
  if (store.can('products.write')) return <Import />;
  return <NoPermission title={words.import} role={store.role} needed={store.roleFor('products.write')} />;
}

function Import() {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const productImport = useImport();
  const { plan, share, fault, unfinished, isElsewhere, read, stop } = productImport;
  return (
    <Screen
      title={words.import}
      back={
        <TextLink href={paths.inStore(store.id, 'products')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
    >
      {fault && <Notice tone="bad">{fault}</Notice>}
      {!plan && (
        <>
          {isElsewhere && <Notice tone="warn">{words.otherTab}</Notice>}
          {unfinished && share === null && (
            <UnfinishedNotice
              unfinished={unfinished}
              onResume={() => void read(unfinished)}
              onForget={() => void productImport.forget()}
            />
          )}
          <Card title={words.chooseFile}>
            <p>{words.importHint}</p>
            {share === null ? (
              <FilePicker
                label={words.chooseFile}
                hint={words.dropFile}
                accept={['.csv', '.tsv', '.txt', 'text/csv', 'text/tab-separated-values']}
                isMultiple={false}
                onFiles={(files) => void productImport.readFile(files)}
              />
            ) : (
              <Progress label={words.comparing} value={share} />
            )}
            <ColumnHints />
          </Card>
        </>
      )}
      {plan && (
        <Suspense>
          <ImportPlan
            plan={plan}
            state={productImport.state}
            written={productImport.written}
            refused={productImport.refused}
            onRun={(steps) => void productImport.run(plan, steps)}
            onStop={stop}
            onAnew={productImport.startOver}
            onEncoding={productImport.createDecoder(plan)}
          />
        </Suspense>
      )}
      <Unsaved isDirty={productImport.state === 'running'} hint={words.leaveHint} />
    </Screen>
  );
}

/** An import of this browser that was interrupted. */
function UnfinishedNotice({
  unfinished,
  onResume,
  onForget,
}: {
  unfinished: KeptImport;
  onResume(): void;
  onForget(): void;
}) {
  const words = useProductTexts();
  return (
    <Notice
      tone="warn"
      title={words.unfinished({ file: unfinished.fileName })}
      actions={
        <>
          <Button size="small" look="primary" onPress={onResume}>
            {words.resume}
          </Button>
          <Button size="small" onPress={onForget}>
            {words.giveUp}
          </Button>
        </>
      }
    >
      {words.unfinishedHint({ count: unfinished.done.length })}
    </Notice>
  );
}

/** The columns that a file may have. */
function ColumnHints() {
  const words = useProductTexts();
  return (
    <>
      <h3>{words.columns}</h3>
      <p>{words.importRules}</p>
      <dl className={style.columns}>
        {Object.entries(words.columnHints).map(([column, hint]) => (
          <div key={column}>
            <dt>
              <code>{column}</code>
            </dt>
            <dd>{hint}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
