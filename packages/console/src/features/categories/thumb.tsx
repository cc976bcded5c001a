import { mediaPath } from '@waybill/contracts/paths';
import { useStore } from '../../api/me.ts';
import style from './categories.module.css';

/** A thumbnail of a product's first picture. */
export function Thumb({ id }: { id: string | null | undefined }) {
  const store = useStore();
  return (
    <span className={style.thumb}>
      {id && <img src={`${mediaPath(store.id, id)}?w=320`} alt="" loading="lazy" />}
    </span>
  );
}
