import { Button } from '../../ui/button.tsx';
import { LinkTargetName, LinkTargetSearch } from '../elements/link-targets.tsx';
import style from '../elements/pickers.module.css';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import type { ControlProps } from './controls.tsx';

/** A control for one of the store's products, found by name. */
export function ProductControl({ label, value, isDisabled, onChange }: ControlProps) {
  const { words } = usePanelWorkbench();
  const id = typeof value === 'string' ? value : null;
  return (
    <div className={style.stack}>
      {id && <LinkTargetName kind="products" id={id} />}
      <LinkTargetSearch
        kind="product"
        label={id ? words.chooseOther : label}
        isDisabled={isDisabled}
        onChoose={onChange}
      />
      {id && (
        <Button size="small" look="quiet" isDisabled={isDisabled} onPress={() => onChange(undefined)}>
          {words.takeAway}
        </Button>
      )}
    </div>
  );
}
