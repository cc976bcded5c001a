export { AppScreen } from './app.tsx';
export { Directory } from './directory.tsx';
export { InstalledApps } from './installed-apps.tsx';
