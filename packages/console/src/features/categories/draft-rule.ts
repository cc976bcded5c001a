import type { RuleOperation } from '@waybill/contracts/category-rules';
import type { Condition, Rule } from './queries.ts';

/** A condition while it is being made: its value may be missing. */
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

/** The rule as it is sent. */
export const ruleOf = ({ match, conditions }: DraftRule): Rule => ({
  match,
  conditions: conditions.map(({ field, op, value }) => ({ field, op, value: value ?? '' })),
});
