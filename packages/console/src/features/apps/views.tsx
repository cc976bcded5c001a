import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Row } from '../../ui/layout.tsx';
import { useAppsTexts } from './texts.ts';

/** Switches between the installed apps and the directory. */
export function Views({ present }: { present: 'installed' | 'directory' }) {
  const words = useAppsTexts();
  const store = useStore();
  const link = (view: 'installed' | 'directory', href: string) => (
    <LinkButton
      href={href}
      look={view === present ? 'primary' : 'secondary'}
      {...(view === present && { 'aria-current': 'page' as const })}
    >
      {words[view]}
    </LinkButton>
  );
  return (
    <nav aria-label={words.views}>
      <Row>
        {link('installed', paths.inStore(store.id, 'apps'))}
        {link('directory', paths.inStore(store.id, 'apps', 'directory'))}
      </Row>
    </nav>
  );
}
