import type { TreeNode } from './materialise.ts';
import type { ResolvedNode } from './resolved.ts';
import { textHash } from './text-hash.ts';

/** The hidden field of every form. A form in which it is filled did not come from a person (`decisions.md 17.5`). */
export const honeypotName = '_wb_url';

/**
 * Returns a form's name within its document, derived from its `TreeNode.path`; it changes only if the form is moved.
 */
export const createFormName = (path: string): string => textHash(path);

/** Returns the id of a form's success message; after sending, the page opens at `#` plus this id. */
export const formSentId = (formName: string): string => `wb-sent-${formName}`;

/** Finds the form with a name in a tree; undefined if there is none. */
export function findForm(tree: TreeNode, formName: string): TreeNode | undefined {
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'form' && createFormName(node.path) === formName) return node;
    open.push(...node.children);
  }
  return undefined;
}

/** One fillable field of a form. */
export interface FormField {
  readonly type: 'field' | 'select' | 'checkbox';
  readonly name: string;
  /** The purpose of a `field`. */
  readonly inputType: string;
  readonly required: boolean;
  /** The allowed values; null if any text is allowed. */
  readonly choices: readonly string[] | null;
}

/** Returns the fields of a resolved form in their order; several checkboxes may share a name. */
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
