import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { EditorChecksWords } from '../../texts/en/editor-checks.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { checkPage } from '../checks/page-checks.ts';
import { pageQuery } from './queries.ts';
import { useEditorState, useSources, useWorkbench } from './workbench.ts';

const texts = defineTexts<EditorChecksWords>({
  en: () => import('../../texts/en/editor-checks.ts'),
  de: () => import('../../texts/de/editor-checks.ts'),
});

/** After the last change: nobody wants to be told of what they are just doing. */
const restMs = 1000;

/** Looks for what visitors would stumble over, when nothing has changed for a moment. */
export function usePageChecks(): void {
  const { editor, subject, showChecks } = useWorkbench();
  const { tree } = useEditorState();
  const sources = useSources();
  const words = useTexts(texts);
  const { data } = useQuery({ ...pageQuery(subject.storeId, subject.id), enabled: subject.kind === 'page' });
  const settings = data?.page.settings;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tree is another document.
  useEffect(() => {
    if (!sources) return;
    const timer = setTimeout(() => {
      const found = checkPage(editor.document, sources, {
        isPart: subject.kind !== 'page',
        ...(typeof settings?.title === 'string' && { title: settings.title }),
        ...(typeof settings?.description === 'string' && { description: settings.description }),
      });
      showChecks(
        found.map(({ id, pointer, tone, code, detail }) => ({
          ...{ id, tone, message: words[code](detail) },
          ...(pointer !== undefined && { pointer }),
        })),
      );
    }, restMs);
    return () => clearTimeout(timer);
  }, [tree, sources, words, settings, editor, subject, showChecks]);
}
