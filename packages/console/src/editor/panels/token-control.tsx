import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { themeQuery } from '../../shell/theme.ts';
import { DesignIcon } from '../../ui/icons.tsx';
import overlays from '../../ui/overlays.module.css';
import { lookUpWord } from '../elements/names.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import style from './controls.module.css';
import type { ControlProps } from './controls.tsx';
import { listTokens, readToken } from './tokens.ts';

/** A control for a value of the element's own, or for a token of the theme, which changes with the theme. */
export function TokenControl({ children, ...props }: ControlProps & { children: ReactNode }) {
  const { words, storeId } = usePanelWorkbench();
  const { label, labelId, describedBy, type, value, isDisabled, onChange } = props;
  const { data } = useQuery(themeQuery(storeId, 'live'));
  const colors: Readonly<Record<string, string>> = data?.theme.colors ?? {};
  const token = readToken(value);
  const findColor = (name: string) => colors[name.replace(/^color\./, '')];
  const dot = (name: string) =>
    findColor(name) && (
      <svg className={style.dot} viewBox="0 0 1 1" aria-hidden="true">
        <rect width="1" height="1" fill={findColor(name)} />
      </svg>
    );
  const named = token && lookUpWord(words.tokens, token);
  return (
    <div className={style.pair}>
      {token === undefined && children}
      <MenuTrigger>
        {token === undefined ? (
          <AriaButton
            aria-label={words.fromTheme({ name: label })}
            isDisabled={isDisabled}
            className={style.tokenPick!}
          >
            <DesignIcon />
          </AriaButton>
        ) : (
          <AriaButton
            aria-label={words.isFromTheme({ name: label, token: named! })}
            {...(describedBy && { 'aria-describedby': describedBy })}
            isDisabled={isDisabled}
            className={`${style.input} ${style.token}`}
            data-label={labelId}
          >
            {dot(token)}
            <span>{named}</span>
          </AriaButton>
        )}
        <Popover className={overlays.popover!}>
          <Menu
            aria-label={words.fromTheme({ name: label })}
            className={overlays.menu!}
            selectionMode="single"
            selectedKeys={token === undefined ? [] : [token]}
            onAction={(key) => onChange(key === 'own' ? undefined : { token: String(key) })}
          >
            {listTokens(type).map((name) => (
              <MenuItem
                key={name}
                id={name}
                textValue={lookUpWord(words.tokens, name)}
                className={`${overlays.item} ${style.tokenItem}`}
              >
                {dot(name)}
                {lookUpWord(words.tokens, name)}
              </MenuItem>
            ))}
            {token !== undefined && (
              <MenuItem id="own" textValue={words.ownValue} className={overlays.item!}>
                {words.ownValue}
              </MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
    </div>
  );
}
