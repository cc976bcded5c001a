import { Answer } from '@waybill/kernel';
import type { DocumentHtml } from '../../publication/rendering/document-html.ts';
import { policyFor } from '../../publication/rendering/policy.ts';

/** A whole page that is only looked at, with the policy that it would be visited under. */
export function previewAnswer(
  { html, allowed }: DocumentHtml,
  asked: Parameters<typeof policyFor>[1],
): Answer {
  const headers = {
    'content-security-policy': policyFor(allowed, asked),
    'x-content-type-options': 'nosniff',
    // The address of a preview is for who is signed in.
    'referrer-policy': 'no-referrer',
  };
  return new Answer(html, 'text/html; charset=utf-8', headers);
}
