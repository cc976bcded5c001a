import type { Permission } from '@waybill/contracts/permissions';
import { usePermissionWords } from '../texts/permissions.ts';
import style from './apps.module.css';

/** An app's icon, or the first letter of its name. */
export const AppIcon = ({
  url,
  name,
  isLarge = false,
}: {
  url: string | null;
  name: string;
  isLarge?: boolean;
}) => (
  <span className={`${style.icon} ${isLarge ? style.large : ''}`} aria-hidden="true">
    {url ? <img src={url} alt="" loading="lazy" /> : [...name][0]?.toUpperCase()}
  </span>
);

/** The permissions of an app, as sentences. */
export function PermissionList({ scopes }: { scopes: readonly Permission[] }) {
  const { describePermission } = usePermissionWords();
  return (
    <ul className={style.asks}>
      {scopes.map((scope) => (
        <li key={scope}>{describePermission(scope)}</li>
      ))}
    </ul>
  );
}

/** The hosts that an app's islands connect to. */
export const OriginList = ({ origins }: { origins: readonly string[] }) => (
  <ul className={style.asks}>
    {origins.map((origin) => (
      <li key={origin}>
        <code>{origin}</code>
      </li>
    ))}
  </ul>
);
