import { mediaPath } from '@waybill/contracts/paths';
import { useStore } from '../../api/me.ts';
import style from './categories.module.css';

/** The first picture of a product, small. */
export function Thumb({ id }: { id: string | null | undefined }) {
  const store = useStore();
  return (
    <span className={style.thumb}>
      {id && <img src={`${mediaPath(store.id, id)}?w=320`} alt="" loading="lazy" />}
    </span>
  );
}
