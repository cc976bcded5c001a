import type { TreeNode } from './materialise.ts';
import type { ResolvedNode } from './resolved.ts';
import { textHash } from './text-hash.ts';

/** The field of every form that people never see: what is in it came from no person. `decisions.md 17.5`. */
export const honeypotName = '_wb_url';

/** What names a form among its document's, by its `TreeNode.path`: the same as long as it stays where it is. */
export const formNameOf = (path: string): string => textHash(path);

/** The id of what a form says when it was sent: its page is led there by `#` and this. */
export const formSentId = (formName: string): string => `wb-sent-${formName}`;

/** The form of a name in a tree; undefined where there is none. */
export function findForm(tree: TreeNode, formName: string): TreeNode | undefined {
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'form' && formNameOf(node.path) === formName) return node;
    open.push(...node.children);
  }
  return undefined;
}

/** One field of a form, as it can be filled in. */
export interface FormField {
  readonly type: 'field' | 'select' | 'checkbox';
  readonly name: string;
  /** Of `field`: what it is for. */
  readonly inputType: string;
  readonly required: boolean;
  /** What may be chosen; null: it is free. */
  readonly choices: readonly string[] | null;
}

/** The fields of a resolved form, in their order; several checkboxes may have one name. */
export function formFields(form: ResolvedNode): FormField[] {
  const fields: FormField[] = [];
  const visit = ({ type, specials, children, isGone }: ResolvedNode) => {
    if (isGone) return;
    const { name, inputType, required, options, value } = specials;
    if (type === 'field') fields.push({ type, name, inputType, required, choices: null });
    if (type === 'select') {
      fields.push({ type, name, inputType: '', required, choices: options.map((option) => option.value) });
    }
    if (type === 'checkbox') fields.push({ type, name, inputType: '', required, choices: [value] });
    for (const child of children) visit(child);
  };
  visit(form);
  return fields;
}
