import { icon } from '../../ui/icons.tsx';

/** The toolbar's own icons. They are not in `ui`, whose icons every screen loads. */
export const UndoIcon = icon(<path d="M7.5 4 4 7.500l3.5 3.5M4 7.500h8a4 4 0 0 1 0 8H8" />);
export const RedoIcon = icon(<path d="m12.5 4 3.500 3.500-3.500 3.500M16 7.500H8a4 4 0 0 0 0 8h4" />);
export const PreviewIcon = icon(
  <path d="M11 4h5v5M16 4l-7 7M8.500 5H5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-3.500" />,
);
export const DesktopIcon = icon(
  <>
    <rect x="2.500" y="4" width="15" height="9.500" rx="1.500" />
    <path d="M7 17h6M10 13.500V17" />
  </>,
);
export const TabletIcon = icon(
  <>
    <rect x="4.500" y="2.500" width="11" height="15" rx="1.500" />
    <path d="M9 15h2" />
  </>,
);
export const PhoneIcon = icon(
  <>
    <rect x="6" y="2.500" width="8" height="15" rx="1.500" />
    <path d="M9.300 15h1.400" />
  </>,
);
