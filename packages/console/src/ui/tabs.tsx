import { type ReactNode, useRef } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
import style from './tabs.module.css';

/** Tabs that show one panel of a screen at a time. */
export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  onSelect,
}: {
  label: string;
  /** `isKept`: once shown, the panel stays mounted but hidden, so that typed text survives. */
  tabs: readonly { id: Id; title: ReactNode; panel: ReactNode; isKept?: boolean }[];
  selected: Id;
  onSelect(id: Id): void;
}) {
  const shown = useRef(new Set<Id>()).current.add(selected);
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(id) => onSelect(id as Id)} className={style.tabs!}>
      <TabList aria-label={label} className={style.list!}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className={style.tab!}>
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, panel, isKept = false }) => (
        <TabPanel
          key={id}
          id={id}
          shouldForceMount={isKept && shown.has(id)}
          hidden={id !== selected}
          className={style.panel!}
        >
          {panel}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
