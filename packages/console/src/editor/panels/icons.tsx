import { iconPaths } from '@waybill/page';
import { icon } from '../../ui/icons.tsx';

/** Icons of the panels. */
export const WarnIcon = icon(
  <>
    <path d="M10 3 2.500 16.500h15z" />
    <path d="M10 8v4M10 14.300h.01" />
  </>,
);
export const HiddenIcon = icon(
  <>
    <path d="M2.500 10s2.800-5 7.500-5 7.500 5 7.500 5-2.800 5-7.500 5-7.500-5-7.500-5z" />
    <path d="m4 16.500 12-13" />
  </>,
);
export const ShownIcon = icon(
  <>
    <path d="M2.500 10s2.800-5 7.500-5 7.500 5 7.500 5-2.800 5-7.500 5-7.500-5-7.500-5z" />
    <circle cx="10" cy="10" r="2" />
  </>,
);
export const ResetIcon = icon(<path d="M4 4v4h4M4.500 8a6 6 0 1 1-.5 3.500" />);
export const UpIcon = icon(<path d="M10 16V4M5 9l5-5 5 5" />);
export const DownIcon = icon(<path d="M10 4v12M5 11l5 5 5-5" />);

const drawings: Readonly<Record<string, ReturnType<typeof icon>>> = {
  section: icon(<path d="M3 4h14v12H3zM3 8h14" />),
  container: icon(<rect x="3.500" y="3.500" width="13" height="13" rx="1.500" />),
  stack: icon(<path d="M3.500 4h13v3.500h-13zM3.500 12.500h13V16h-13z" />),
  grid: icon(
    <path d="M3.500 3.500h5.500V9H3.500zM11 3.500h5.500V9H11zM3.500 11H9v5.500H3.500zM11 11h5.500v5.500H11z" />,
  ),
  heading: icon(<path d="M5 4v12M15 4v12M5 10h10" />),
  text: icon(<path d="M4 5h12M4 9h12M4 13h8" />),
  richText: icon(<path d="M4 5h12M4 9h6M4 13h12M13 8l1.500 2" />),
  list: icon(<path d="M7 5h10M7 10h10M7 15h10M3.500 5h.01M3.500 10h.01M3.500 15h.01" />),
  image: icon(
    <>
      <rect x="3" y="4" width="14" height="12" rx="1.500" />
      <path d="m4 14.500 4-4 3 3 2-2 3 3" />
    </>,
  ),
  gallery: icon(<path d="M3 5h6v10H3zM11 5h6v4h-6zM11 11h6v4h-6z" />),
  video: icon(
    <>
      <rect x="3" y="4" width="14" height="12" rx="1.500" />
      <path d="m8.500 7.500 4 2.500-4 2.500z" />
    </>,
  ),
  icon: icon(
    <path d="m10 3 2.100 4.500 4.900.600-3.600 3.400.900 4.900L10 14l-4.300 2.400.900-4.900L3 8.100l4.900-.600z" />,
  ),
  button: icon(
    <path d="M4.500 6.500h11a1.500 1.500 0 0 1 1.500 1.500v4a1.500 1.500 0 0 1-1.500 1.500h-11A1.500 1.500 0 0 1 3 12V8a1.500 1.500 0 0 1 1.500-1.500zM7 10h6" />,
  ),
  link: icon(
    <path d="M8.500 11.500a3 3 0 0 0 4.300 0l2.700-2.700a3 3 0 0 0-4.300-4.300l-1 1M11.500 8.500a3 3 0 0 0-4.300 0l-2.700 2.700a3 3 0 0 0 4.300 4.300l1-1" />,
  ),
  divider: icon(<path d="M3 10h14" />),
  spacer: icon(<path d="M4 4h12M4 16h12M10 7v6" />),
  form: icon(<path d="M4 4h12v3H4zM4 10h12v3H4zM4 16h5" />),
  field: icon(<path d="M3 7h14v6H3zM6 9v2" />),
  select: icon(<path d="M3 7h14v6H3zM12 9.500l1.500 1.500 1.500-1.500" />),
  checkbox: icon(<path d="M4 4h12v12H4zM7 10l2 2 4-4.500" />),
  product: icon(<path d="M3 3h6.500l7.500 7.500-6.500 6.500L3 9.500z" />),
  productList: icon(<path d="M3 4h6v6H3zM11 4h6v6h-6zM3.500 13h5M3.500 16h3M11.500 13h5M11.500 16h3" />),
  articleList: icon(<path d="M3 4h4v4H3zM10 4.500h7M10 7.500h5M3 12h4v4H3zM10 12.500h7M10 15.500h5" />),
  menu: icon(<path d="M3 5.500h14M3 10h14M3 14.500h14" />),
  breadcrumbs: icon(<path d="M2.500 10h3M8 7l3 3-3 3M14.500 7l3 3-3 3" />),
  cartButton: icon(<path d="M4.500 7h11l.8 9.500H3.700zM7.500 7V6a2.500 2.500 0 0 1 5 0v1" />),
  languageSwitch: icon(
    <path d="M10 2.500a7.500 7.500 0 1 1 0 15 7.500 7.500 0 0 1 0-15zM2.500 10h15M10 2.500c3 3 3 12 0 15m0-15c-3 3-3 12 0 15" />,
  ),
  quantityField: icon(<path d="M3 6h14v8H3zM6 10h3M12 10h3M13.500 8.500v3" />),
  searchField: icon(<path d="M3 6h14v8H3zM8.500 9.500a1.500 1.500 0 1 1 0 .01M10 11l1.500 1.500" />),
  productFilters: icon(<path d="M3 5h14M6 10h8M8.500 15h3" />),
  articleDate: icon(<path d="M3.500 5h13v11h-13zM3.500 8.500h13M7 3v3.500M13 3v3.500" />),
  embed: icon(<path d="m7 6-4 4 4 4M13 6l4 4-4 4" />),
  blockRef: icon(<path d="M10 2.500 17 6v8l-7 3.500L3 14V6zM3 6l7 3.500L17 6M10 9.500v8" />),
  sectionRef: icon(<path d="M3 5h14v4H3zM3 12h14v3H3z" />),
};
const likewise: Readonly<Record<string, string>> = {
  articleBody: 'richText',
  articleExcerpt: 'text',
  articleField: 'text',
  categoryField: 'text',
  productField: 'text',
  articleImage: 'image',
  articleTitle: 'heading',
  categoryDescription: 'richText',
  categoryImage: 'image',
  categoryList: 'menu',
  categoryTitle: 'heading',
  productDescription: 'richText',
  productGallery: 'gallery',
  productImage: 'image',
  productTitle: 'heading',
  price: 'text',
  variantPicker: 'select',
  addToCart: 'button',
};

/** An icon from the set for pages, drawn on a grid of 24 × 24. */
const NamedIcon = ({ path }: { path: string }) => (
  <svg
    viewBox="0 0 24 24"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
);

/** The icon of an element; a block uses the one that its app names. An unknown element gets a box. */
export function ElementIcon({ type, blockIcon }: { type: string; blockIcon?: string | undefined }) {
  if (type === 'blockRef' && blockIcon !== undefined && Object.hasOwn(iconPaths, blockIcon))
    return <NamedIcon path={iconPaths[blockIcon]!} />;
  const name = Object.hasOwn(likewise, type) ? likewise[type]! : type;
  const Drawing = (Object.hasOwn(drawings, name) ? drawings[name] : undefined) ?? drawings.container!;
  return <Drawing />;
}
