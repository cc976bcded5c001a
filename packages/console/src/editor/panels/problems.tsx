import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/layout.tsx';
import { findFaultyApp, nodeTitle } from '../elements/names.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { useNames } from '../workbench/queries.ts';
import { revealNode } from '../workbench/reveal-node.ts';
import { useEditorState, useView } from '../workbench/workbench.ts';
import style from './inspector.module.css';

/** The list of the page's problems, including those for visitors; each entry leads to its place. */
export function Problems() {
  const workbench = usePanelWorkbench();
  const { words, storeId } = workbench;
  const { problems } = useView();
  const { tree } = useEditorState();
  const names = useNames(storeId);
  if (problems.length === 0) return <p className={style.hint}>{words.noProblems}</p>;
  return (
    <ul className={style.inspector}>
      {problems.map(({ id, message, tone, pointer = '' }) => {
        const node = id === null ? undefined : tree.nodes.get(id);
        const app = findFaultyApp(node, pointer, names);
        return (
          <li key={`${id} ${pointer} ${message}`}>
            <Notice
              tone={tone === 'bad' ? 'warn' : 'neutral'}
              actions={
                node && (
                  <Button size="small" onPress={() => revealNode(workbench, node.id)}>
                    {words.goThere}
                  </Button>
                )
              }
              {...(node && { title: nodeTitle(node, words, names) })}
            >
              {message}
              {app !== undefined && <p>{words.problemInBlock({ app })}</p>}
            </Notice>
          </li>
        );
      })}
    </ul>
  );
}
