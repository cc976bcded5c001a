import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/layout.tsx';
import style from './apps.module.css';
import type { AppProfile } from './queries.ts';
import { useAppsTexts } from './texts.ts';

/** The developer's description of an app. Its links lead out of the console. */
export function About({ profile }: { profile: AppProfile }) {
  const words = useAppsTexts();
  const formats = useFormats();
  const { description, website, privacyUrl, supportEmail, blocks } = profile;
  const link = (href: string | null, text?: string) =>
    href && (
      <TextLink href={href} target="_blank" rel="noopener noreferrer">
        {text ?? href}
      </TextLink>
    );
  return (
    <Card title={words.about}>
      <p className={style.text}>{description || words.noDescription}</p>
      <Facts
        facts={[
          [words.blocks, formats.list(blocks.map(({ name }) => name))],
          [words.website, link(website)],
          [words.support, supportEmail && link(`mailto:${supportEmail}`, supportEmail)],
          [words.privacy, link(privacyUrl)],
        ]}
      />
    </Card>
  );
}
