import { Answer } from '@waybill/kernel';
import type { DocumentHtml } from '../../publication/rendering/document-html.ts';
import { policyFor } from '../../publication/rendering/policy.ts';

/** Answers with a preview of a whole page, under the policy that it would have when live. */
export function previewAnswer(
  { html, allowed }: DocumentHtml,
  requestedPolicy: Parameters<typeof policyFor>[1],
): Answer {
  const headers = {
    'content-security-policy': policyFor(allowed, requestedPolicy),
    'x-content-type-options': 'nosniff',
    // The address of a preview must not leak, because it is only for signed-in users.
    'referrer-policy': 'no-referrer',
  };
  return new Answer(html, 'text/html; charset=utf-8', headers);
}
