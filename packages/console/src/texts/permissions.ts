import type { Domain, Permission } from '@waybill/contracts/permissions';
import type { PermissionWords } from './en/permissions.ts';
import { defineTexts, useTexts } from './texts.ts';

const texts = defineTexts<PermissionWords>({
  en: () => import('./en/permissions.ts'),
  de: () => import('./de/permissions.ts'),
});

/** What permissions mean, in words. */
export function usePermissionWords() {
  const words = useTexts(texts);
  return {
    /** What of the store a permission is about. */
    nameOf: (domain: Domain): string => words[domain].name,
    /** What its holder may do. */
    sentenceOf(permission: Permission): string {
      const [domain, deed] = permission.split('.') as [Domain, 'read' | 'write'];
      return words[domain][deed];
    },
  };
}
