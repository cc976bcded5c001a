import type { ReactNode } from 'react';

/** Makes an icon component from its drawing on a 20 × 20 grid. */
export const icon = (drawing: ReactNode) =>
  function Icon() {
    return (
      <svg
        viewBox="0 0 20 20"
        width="18"
        height="18"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {drawing}
      </svg>
    );
  };

export const SearchIcon = icon(
  <>
    <circle cx="9" cy="9" r="5" />
    <path d="m13 13 4 4" />
  </>,
);
export const CrossIcon = icon(<path d="m5.5 5.5 9 9m0-9-9 9" />);
export const CheckIcon = icon(<path d="m4.5 10.5 3.5 3.5 7.5-8" />);
export const ExternalIcon = icon(<path d="M8 5H5v10h10v-3M11 4h5v5M16 4l-7 7" />);
export const ChevronIcon = icon(<path d="m6 8 4 4 4-4" />);
export const MenuIcon = icon(<path d="M3 6h14M3 10h14M3 14h14" />);
export const MoreIcon = icon(
  <>
    <circle cx="4.5" cy="10" r=".6" />
    <circle cx="10" cy="10" r=".6" />
    <circle cx="15.5" cy="10" r=".6" />
  </>,
);
export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />);
export const CopyIcon = icon(
  <>
    <rect x="7" y="7" width="9" height="9" rx="1.5" />
    <path d="M13 7V5.5A1.5 1.5 0 0 0 11.5 4h-6A1.5 1.5 0 0 0 4 5.500v6A1.5 1.5 0 0 0 5.5 13H7" />
  </>,
);
export const HomeIcon = icon(<path d="m3 9 7-6 7 6v7.500H12V12H8v4.500H3z" />);
export const TagIcon = icon(
  <>
    <path d="M3 3h6.500l7.5 7.5-6.5 6.500L3 9.500z" />
    <circle cx="6.5" cy="6.5" r=".7" />
  </>,
);
export const OrderIcon = icon(
  <>
    <path d="M4 3h12v14l-3-1.5-3 1.5-3-1.500L4 17z" />
    <path d="M7 7h6M7 10.500h6" />
  </>,
);
export const CardIcon = icon(
  <>
    <path d="M2.500 5h15v10h-15z" />
    <path d="M2.500 8.500h15M5 12.500h3" />
  </>,
);
export const MailIcon = icon(
  <>
    <rect x="3" y="4.500" width="14" height="11" rx="1.5" />
    <path d="m3.500 6 6.500 5 6.500-5" />
  </>,
);
export const PeopleIcon = icon(
  <>
    <circle cx="7.5" cy="6.5" r="2.7" />
    <path d="M2.5 16.500c0-3 2-5 5-5s5 2 5 5M13 4.200a2.7 2.7 0 0 1 0 4.800M14.5 11.800c2 .600 3 2.3 3 4.7" />
  </>,
);
export const ImageIcon = icon(
  <>
    <rect x="3" y="4" width="14" height="12" rx="1.5" />
    <circle cx="7.5" cy="8.5" r="1.2" />
    <path d="m4 15 4.5-4 3 2.5 2.5-2 3 2.5" />
  </>,
);
export const PageIcon = icon(
  <>
    <path d="M5 2.500h6.500L15.5 6.500v11H5z" />
    <path d="M11.5 2.500v4h4" />
  </>,
);
export const BlogIcon = icon(<path d="M4 16.5 5 12.500l8.5-9 3 3-8.5 9zM12 5l3 3" />);
export const LanguageIcon = icon(
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="M3 10h14M10 3c-4.5 4.5-4.5 9.5 0 14M10 3c4.5 4.5 4.5 9.5 0 14" />
  </>,
);
export const HookIcon = icon(
  <>
    <circle cx="5" cy="14" r="2.5" />
    <circle cx="15" cy="14" r="2.5" />
    <circle cx="10" cy="5" r="2.5" />
    <path d="m9 7.5-3 4.500M7.5 14h5M11 7.500l3 4.5" />
  </>,
);
export const AppsIcon = icon(
  <>
    <rect x="3" y="3" width="5.5" height="5.5" rx="1" />
    <rect x="11.5" y="3" width="5.5" height="5.5" rx="1" />
    <rect x="3" y="11.5" width="5.5" height="5.5" rx="1" />
    <path d="M14.250 11.500V17M11.5 14.250H17" />
  </>,
);
export const GearIcon = icon(
  <>
    <circle cx="10" cy="10" r="2.5" />
    <path d="M10 2.500v2.500M10 15v2.500M2.5 10H5M15 10h2.500M4.7 4.700l1.8 1.800M13.5 13.500l1.8 1.800M4.7 15.300l1.8-1.800M13.5 6.500l1.8-1.8" />
  </>,
);
export const KeyIcon = icon(
  <>
    <circle cx="6.5" cy="10" r="3.5" />
    <path d="M10 10h7.500v3M14 10v2" />
  </>,
);
export const ListIcon = icon(<path d="M7 5h10M7 10h10M7 15h10M3.5 5h.01M3.5 10h.01M3.5 15h.01" />);
export const TreeIcon = icon(
  <path d="M3 3.5h6v3H3zM11 8.500h6v3h-6zM11 14h6v3h-6zM5.5 6.500v9H11M5.500 10H11" />,
);
export const CodeIcon = icon(<path d="m7 6-4 4 4 4M13 6l4 4-4 4" />);
export const ReviewIcon = icon(
  <>
    <path d="M10 2.5 16 5v5c0 4-2.5 6.5-6 7.5-3.5-1-6-3.5-6-7.500V5z" />
    <path d="m7.5 10 2 2 3.5-4" />
  </>,
);
export const UserIcon = icon(
  <>
    <circle cx="10" cy="7" r="3" />
    <path d="M4 17c0-3.5 2.5-5.5 6-5.500s6 2 6 5.5" />
  </>,
);
export const SectionIcon = icon(
  <>
    <rect x="3" y="3" width="14" height="5" rx="1" />
    <rect x="3" y="11" width="14" height="6" rx="1" />
  </>,
);
export const DesignIcon = icon(
  <path d="M10 3a7 7 0 1 0 0 14c1.500 0 1.500-1.500 1-2.500-.5-1 .2-2 1.500-2H15a2.500 2.500 0 0 0 2-2.500C17 5.500 14 3 10 3zM6.500 9.500h.01M9 6.500h.01M12.500 7h.01" />,
);
export const BoltIcon = icon(<path d="M11 2.5 4.5 11.500H10l-1 6 6.5-9H10z" />);
export const GripIcon = icon(
  <path d="M7.5 5h.01M12.500 5h.01M7.5 10h.01M12.500 10h.01M7.5 15h.01M12.500 15h.01" />,
);
