import { mediaPath } from '@waybill/contracts/paths';
import { lazy, Suspense, useState } from 'react';
import { useStore } from '../api/me.ts';

import { Button } from '../ui/button.tsx';
import { CustomControlField } from '../ui/custom-control-field.tsx';
import { Row } from '../ui/layout.tsx';
import style from './custom-fields/custom-fields.module.css';
import { useCustomFieldTexts } from './custom-fields/texts.ts';

const MediaPicker = lazy(async () => ({ default: (await import('./media-picker.tsx')).MediaPicker }));

/** A field for an image of the media library; its value is the file's id. */
export function ImageField({
  label,
  name,
  value,
  onChange,
  isReadOnly,
}: {
  label: string;
  name: string;
  value: string | null;
  onChange(id: string | null): void;
  isReadOnly: boolean;
}) {
  const words = useCustomFieldTexts();
  const store = useStore();
  const [isPicking, setPicking] = useState(false);
  return (
    <>
      <CustomControlField label={label} name={name}>
        {(attributes) => (
          <div {...attributes} className={style.picture}>
            {value !== null && <img src={`${mediaPath(store.id, value)}?w=320`} alt="" />}
            {!isReadOnly && (
              <Row>
                <Button size="small" onPress={() => setPicking(true)}>
                  {value === null ? words.chooseImage : words.changeImage}
                </Button>
                {value !== null && (
                  <Button
                    size="small"
                    look="quiet"
                    aria-label={words.removeValue({ name: label })}
                    onPress={() => onChange(null)}
                  >
                    ✕
                  </Button>
                )}
              </Row>
            )}
          </div>
        )}
      </CustomControlField>
      {isPicking && (
        <Suspense>
          <MediaPicker
            title={label}
            onPick={([file]) => file && onChange(file.id)}
            onClose={() => setPicking(false)}
          />
        </Suspense>
      )}
    </>
  );
}
