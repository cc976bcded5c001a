import { useCallback, useEffect, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CustomControlField } from '../../ui/custom-control-field.tsx';
import type { Named } from '../../ui/field.tsx';
import { useIsSent } from '../../ui/sent.ts';
import { TextField } from '../../ui/text-field.tsx';
import { richTextTexts } from '../rich-text-texts.ts';
import style from './html-field.module.css';

type Editor = typeof import('./html-editor.tsx').HtmlEditor;

/**
 * A field for HTML, edited visually or as source. HTML that the visual editor cannot keep in full is shown as source.
 */
export function HtmlField({
  label,
  hint,
  name,
  value,
  onChange,
  isReadOnly = false,
  rows,
}: Named & { value: string; onChange(html: string): void; isReadOnly?: boolean; rows: number }) {
  const words = useTexts(richTextTexts);
  const isSent = useIsSent();
  const [Editor, setEditor] = useState<Editor | null>(null);
  const [shown, setShown] = useState<'as it looks' | 'html' | 'only html'>('as it looks');
  const isHtml = shown !== 'as it looks';
  const onUnknown = useCallback(() => setShown('only html'), []);
  useEffect(() => {
    import('./html-editor.tsx').then(
      ({ HtmlEditor }) => setEditor(() => HtmlEditor),
      () => setShown('html'),
    );
  }, []);
  return (
    <div className={style.field}>
      {isHtml ? (
        <TextField
          label={label}
          hint={shown === 'only html' ? words.onlyHtml : words.asHtml}
          name={name}
          value={value}
          onChange={onChange}
          isReadOnly={isReadOnly}
          rows={rows}
          isCode
        />
      ) : (
        <CustomControlField label={label} hint={hint} name={name}>
          {(attributes) => (
            <div className={style.box} style={{ '--rows': rows } as React.CSSProperties}>
              {Editor ? (
                <Editor
                  value={value}
                  onChange={onChange}
                  onUnknown={onUnknown}
                  isReadOnly={isReadOnly || isSent}
                  attributes={attributes}
                />
              ) : (
                <div className={style.text} />
              )}
            </div>
          )}
        </CustomControlField>
      )}
      <div className={style.toggle}>
        <Button
          size="small"
          look="quiet"
          aria-label={words.htmlOf({ field: label })}
          aria-pressed={isHtml}
          onPress={() => setShown(isHtml ? 'as it looks' : 'html')}
        >
          {words.html}
        </Button>
      </div>
    </div>
  );
}
