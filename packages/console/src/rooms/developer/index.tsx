export { AppScreen } from './app.tsx';
export { NewVersion } from './new-version.tsx';
export { OrgScreen } from './org.tsx';
export { OrgList } from './orgs.tsx';
export { VersionScreen } from './version.tsx';
