import type { Domain, Permission } from '@waybill/contracts/permissions';
import { defineTexts, useTexts } from './texts.ts';

const texts = defineTexts({
  en: () => import('./en/permissions.ts'),
  de: () => import('./de/permissions.ts'),
});

/** Returns the descriptions of permissions. */
export function usePermissionWords() {
  const words = useTexts(texts);
  return {
    /** The name of the resource that a permission concerns. */
    getDomainName: (domain: Domain): string => words[domain].name,
    /** Describes the permission in a sentence. */
    describePermission(permission: Permission): string {
      const [domain, deed] = permission.split('.') as [Domain, 'read' | 'write'];
      return words[domain][deed];
    },
  };
}
