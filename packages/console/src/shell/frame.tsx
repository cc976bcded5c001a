import { useQuery } from '@tanstack/react-query';
import type { Permission } from '@waybill/contracts/permissions';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { MenuTrigger } from 'react-aria-components/Menu';
import { getRoleRights, type Me, storeQuery, useMe } from '../api/me.ts';
import { QueriesProvider } from '../api/queries-provider.tsx';
import { session } from '../api/session.ts';
import { paths } from '../paths.ts';
import { useLocation } from '../router/router.tsx';
import { explain, useCommon } from '../texts/common.ts';
import type { CommonWords } from '../texts/en/common.ts';
import { IconButton, TextLink } from '../ui/button.tsx';
import {
  AppsIcon,
  BlogIcon,
  BoltIcon,
  CardIcon,
  ChevronIcon,
  CodeIcon,
  DesignIcon,
  GearIcon,
  HomeIcon,
  HookIcon,
  ImageIcon,
  KeyIcon,
  LanguageIcon,
  ListIcon,
  MailIcon,
  MenuIcon,
  OrderIcon,
  PageIcon,
  PeopleIcon,
  ReviewIcon,
  SectionIcon,
  TagIcon,
  TreeIcon,
  UserIcon,
} from '../ui/icons.tsx';
import { useKeptFocus } from '../ui/kept-focus.ts';
import { Badge } from '../ui/layout.tsx';
import { MenuPopover } from '../ui/overlays.tsx';
import { toast } from '../ui/toasts.tsx';
import { Commands } from './commands.tsx';
import style from './shell.module.css';
import { SignInAgain } from './sign-in-again.tsx';
import { ViewShop } from './view-shop.tsx';

interface NavigationLink {
  href: string;
  title: string;
  icon: ReactNode;
}

/** The frame of every screen after sign-in: navigation, account menu and the screen itself. */
export const Frame = ({ children }: { children: ReactNode }) => (
  <QueriesProvider>
    <Inside>{children}</Inside>
  </QueriesProvider>
);

function Inside({ children }: { children: ReactNode }) {
  const words = useCommon();
  const me = useMe();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const storeId = /\/stores\/(str_\w+)/.exec(pathname)?.[1] ?? lastStore(me);
  const listed = me.stores.find(({ id }) => id === storeId);
  // `me` lists only the first stores, so the open one may be missing from it.
  const isBeyond = storeId !== undefined && !listed && me.hasMoreStores;
  const { data: read } = useQuery({
    ...storeQuery(storeId ?? ''),
    enabled: listed !== undefined || isBeyond,
  });
  const store = listed ?? (isBeyond ? read : undefined);
  const { is } = useSyncExternalStore(session.watch, session.read);
  const main = useRef<HTMLElement>(null);
  useKeptFocus(main);
  useEffect(() => setOpen(false), [pathname]);
  useEffect(() => {
    if (store) localStorage.setItem('waybill.store', store.id);
  }, [store]);
  return (
    <div className={style.frame}>
      <a href="#content" className={style.skip}>
        {words.skipToContent}
      </a>
      <header className={style.bar}>
        <IconButton label={words.openNavigation} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          <MenuIcon />
        </IconButton>
        <span className={style.logo}>{words.product}</span>
        {read && <ViewShop href={read.url} size="small" />}
      </header>
      <nav className={`${style.nav} ${isOpen ? style.open : ''}`} aria-label={words.navigation}>
        <div className={style.navHead}>
          <StoreSwitcher me={me} store={store} />
          {store && read && <ViewShop href={read.url} size="small" />}
        </div>
        <Commands
          storeId={store?.id ?? null}
          places={buildNavigation(me, store, words).flatMap(({ places }) => places)}
        />
        {buildNavigation(me, store, words).map(({ title, places }) => (
          <div key={title} className={style.group}>
            <h2>{title}</h2>
            <ul>
              {places.map(({ href, title, icon }) => (
                <li key={href}>
                  <NavLink href={href} isHere={isWithin(pathname, href, store?.id)}>
                    {icon}
                    {title}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main ref={main} id="content" className={style.main} tabIndex={-1}>
        {children}
      </main>
      {is === 'signedOut' && <SignInAgain email={me.user.email} />}
    </div>
  );
}

function NavLink({ href, isHere, children }: { href: string; isHere: boolean; children: ReactNode }) {
  return (
    <span className={`${style.place} ${isHere ? style.here : ''}`}>
      <TextLink href={href} {...(isHere && { 'aria-current': 'page' as const })}>
        {children}
      </TextLink>
    </span>
  );
}

/**
 * Whether a link's screen contains the path. The store's home is the prefix of all its features, so only its exact path
 * counts.
 */
function isWithin(pathname: string, href: string, storeId: string | undefined): boolean {
  const path = pathname.replace(/\/$/, '');
  if (storeId && href === paths.store(storeId)) return path === href;
  return path === href || path.startsWith(`${href}/`);
}

const lastStore = ({ stores }: Me) => {
  const stored = localStorage.getItem('waybill.store');
  return (stores.find(({ id }) => id === stored) ?? stores[0])?.id;
};

function StoreSwitcher({ me, store }: { me: Me; store: Me['stores'][number] | undefined }) {
  const words = useCommon();
  return (
    <MenuTrigger>
      <AriaButton className={style.switcher!}>
        <span className={style.switcherText}>
          <span className={style.unseen}>{words.switchStore}: </span>
          <strong>{store?.name ?? words.product}</strong>
          {store?.isDevelopment ? (
            <Badge tone="warn">{words.developmentStore}</Badge>
          ) : (
            store && <small>{words.roles[store.role]}</small>
          )}
        </span>
        <ChevronIcon />
      </AriaButton>
      <MenuPopover
        actions={[
          ...me.stores.map(({ id, name }) => ({ id, text: name, href: paths.store(id) })),
          ...(me.hasMoreStores ? [{ id: 'all', text: words.allStores, href: paths.stores }] : []),
          { id: 'new', text: words.newStore, href: paths.newStore },
          { id: 'signOut', text: words.signOut, onAction: () => void signOut(words) },
        ]}
      />
    </MenuTrigger>
  );
}

/** Signs out and reloads the console, which clears the account's data from this tab. */
async function signOut(words: CommonWords): Promise<void> {
  try {
    await session.signOut();
    location.assign(paths.signIn());
  } catch (error) {
    toast(explain(error, words), 'bad');
  }
}

function buildNavigation(
  me: Me,
  store: Me['stores'][number] | undefined,
  words: CommonWords,
): readonly { title: string; places: readonly NavigationLink[] }[] {
  const own = [
    { href: paths.account, title: words.account, icon: <UserIcon /> },
    { href: paths.orgs, title: words.developer, icon: <CodeIcon /> },
    ...(me.isReviewer ? [{ href: paths.review, title: words.review, icon: <ReviewIcon /> }] : []),
  ];
  if (!store) return [{ title: me.user.name, places: own }];
  const { can, manages } = getRoleRights(store.role);
  const at = (feature: string) => paths.inStore(store.id, feature);
  const features = (list: readonly (readonly [Permission, string, string, ReactNode])[]) =>
    list
      .filter(([permission]) => can(permission))
      .map(([, feature, title, icon]): NavigationLink => ({ href: at(feature), title, icon }));
  return [
    {
      title: words.store,
      places: [
        { href: paths.store(store.id), title: words.home, icon: <HomeIcon /> },
        ...features([
          ['products.read', 'products', words.products, <TagIcon key="i" />],
          ['products.read', 'categories', words.categories, <TreeIcon key="i" />],
          ['orders.read', 'orders', words.orders, <OrderIcon key="i" />],
          ['orders.read', 'payments', words.payments, <CardIcon key="i" />],
          ['customers.read', 'customers', words.customers, <PeopleIcon key="i" />],
          ['discounts.read', 'discounts', words.discounts, <TagIcon key="i" />],
          ['forms.read', 'forms', words.forms, <MailIcon key="i" />],
        ]),
      ],
    },
    {
      title: words.website,
      places: features([
        ['pages.read', 'pages', words.pages, <PageIcon key="i" />],
        ['pages.read', 'sections', words.sections, <SectionIcon key="i" />],
        ['pages.read', 'design', words.design, <DesignIcon key="i" />],
        ['blog.read', 'blog', words.blog, <BlogIcon key="i" />],
        ['media.read', 'media', words.media, <ImageIcon key="i" />],
        ['translations.read', 'translations', words.translations, <LanguageIcon key="i" />],
      ]),
    },
    {
      title: words.connections,
      places: [
        { href: at('apps'), title: words.apps, icon: <AppsIcon /> },
        ...features([
          ['webhooks.read', 'webhooks', words.webhooks, <HookIcon key="i" />],
          ['webhooks.read', 'events', words.events, <BoltIcon key="i" />],
        ]),
        ...(manages ? [{ href: at('api-keys'), title: words.apiKeys, icon: <KeyIcon /> }] : []),
      ],
    },
    {
      title: words.administration,
      places: [
        { href: at('settings'), title: words.settings, icon: <GearIcon /> },
        ...(manages
          ? [{ href: at('payment-methods'), title: words.paymentMethods, icon: <CardIcon /> }]
          : []),
        ...features([
          ['orders.read', 'taxes', words.taxes, <ListIcon key="i" />],
          ['orders.read', 'shipping', words.shippingZones, <OrderIcon key="i" />],
        ]),
        ...(manages ? [{ href: at('members'), title: words.members, icon: <PeopleIcon /> }] : []),
        ...(manages ? [{ href: at('audit'), title: words.audit, icon: <ListIcon /> }] : []),
      ],
    },
    { title: me.user.name, places: own },
  ];
}
