import type { RuleOperation } from '@waybill/contracts/category-rules';
import type { Condition, Rule } from './queries.ts';

/** A condition being edited; its value may still be missing. */
export interface DraftCondition {
  field: string;
  op: RuleOperation;
  value: Condition['value'] | null;
}
export interface DraftRule {
  match: Rule['match'];
  conditions: readonly DraftCondition[];
}

export const blankRule: DraftRule = { match: 'all', conditions: [{ field: 'tag', op: 'is', value: null }] };

/** Converts the draft to the rule of the request body. */
export const toRule = ({ match, conditions }: DraftRule): Rule => ({
  match,
  conditions: conditions.map(({ field, op, value }) => ({ field, op, value: value ?? '' })),
});
