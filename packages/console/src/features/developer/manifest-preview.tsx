import type { Block, Json, TraitAttribute } from '@waybill/page';
import { useEffect, useState } from 'react';
import type { Problems } from '../../api/mutation.ts';
import type { Drawn } from '../../shell/draw.ts';
import { type Device, DeviceChoice, PageFrame } from '../../shell/page-frame.tsx';
import { Switch } from '../../ui/choices.tsx';
import { Card, Grid, Notice, Row, Skeleton, Stack } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { readTypedNumber } from '../../ui/typed-number.ts';
import style from './developer.module.css';
import {
  type Control,
  drawable,
  drawSample,
  findSetting,
  parseBlocks,
  problemsIn,
  readControls,
  type Settings,
  withSetting,
} from './manifest.ts';
import { useDeveloperTexts } from './texts.ts';

/** Typing pause before the text is parsed, in milliseconds: about as long as typing a word takes. */
const pauseMs = 250;

/** A preview of the typed blocks, one at a time: its look, its slots and the settings it offers to merchants. */
export function ManifestPreview({
  text,
  appId,
  onProblems,
}: {
  text: string;
  appId: string;
  /** Receives the problems by JSON pointer into the manifest. */
  onProblems(problems: Problems): void;
}) {
  const words = useDeveloperTexts();
  const [blocks, setBlocks] = useState<readonly Block[] | null>(null);
  const [isReadable, setReadable] = useState(true);
  const [position, setPosition] = useState(0);
  const [device, setDevice] = useState<Device>('fit');
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      const read = parseBlocks(text);
      setReadable(read !== null);
      if (!read) return;
      setBlocks(drawable(read));
      problemsIn(read).then(
        (problems) => isCurrent && onProblems(problems),
        // The checks failed to load. The server repeats them at the save.
        () => {},
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, onProblems]);
  const shown = blocks?.[Math.min(position, blocks.length - 1)];
  return (
    <Card title={words.preview} actions={<DeviceChoice value={device} onChange={setDevice} hasFit />}>
      {!isReadable && <Notice tone="warn">{blocks ? words.previewOld : words.notJson}</Notice>}
      {!blocks && isReadable && <Skeleton lines={8} />}
      {blocks?.length === 0 && <p className={style.muted}>{words.nothingToPreview}</p>}
      {blocks && shown && (
        <>
          {blocks.length > 1 && (
            <Select
              label={words.block}
              choices={blocks.map(({ key, name }, id) => ({
                id: String(id),
                text: String(name ?? key ?? id + 1),
              }))}
              value={String(Math.min(position, blocks.length - 1))}
              onChange={(id) => setPosition(Number(id))}
            />
          )}
          <BlockPreview key={shown.key} appId={appId} block={shown} device={device} />
        </>
      )}
    </Card>
  );
}

function BlockPreview({ appId, block, device }: { appId: string; block: Block; device: Device }) {
  const words = useDeveloperTexts();
  const [settings, setSettings] = useState<Settings>({});
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [isDrawable, setDrawable] = useState(true);
  useEffect(() => {
    let isCurrent = true;
    drawSample(appId, block, settings).then(
      (next) => {
        if (!isCurrent) return;
        setDrawn(next);
        setDrawable(true);
      },
      () => isCurrent && setDrawable(false),
    );
    return () => {
      isCurrent = false;
    };
  }, [appId, block, settings]);
  const name = String(block.name ?? block.key);
  return (
    <>
      {!isDrawable && <Notice tone="warn">{words.previewOld}</Notice>}
      {drawn ? (
        <PageFrame label={words.previewOf({ name })} drawn={drawn} device={device} />
      ) : (
        isDrawable && <Skeleton lines={6} />
      )}
      <p className={style.muted}>{words.previewHint}</p>
      <Slots block={block} />
      <Traits block={block} settings={settings} onChange={setSettings} />
    </>
  );
}

/** Returns the objects of a list in unfinished text, which may be missing or malformed. */
const filterObjects = <Item,>(value: readonly Item[] | null | undefined): readonly Item[] =>
  Array.isArray(value) ? value.filter((item) => item !== null && typeof item === 'object') : [];

function Slots({ block: { slots, nodes } }: { block: Block }) {
  const words = useDeveloperTexts();
  const known = filterObjects(slots);
  return (
    <section aria-label={words.slots}>
      <h3>{words.slots}</h3>
      {known.length === 0 && <p className={style.muted}>{words.noSlots}</p>}
      <ul className={style.islands}>
        {known.map(({ name, nodeId }, position) => (
          <li key={position}>
            <code>{name}</code>
            <span className={style.muted}>
              {filterObjects(nodes).find(({ id }) => id === nodeId)?.type ?? words.noSuchNode}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Controls = Awaited<ReturnType<typeof readControls>>;

/** The traits that a block offers to merchants. Changing one changes only the preview above. */
function Traits({
  block,
  settings,
  onChange,
}: {
  block: Block;
  settings: Settings;
  onChange(settings: Settings): void;
}) {
  const words = useDeveloperTexts();
  const [controls, setControls] = useState<{ of: Controls } | null>(null);
  useEffect(() => {
    readControls().then(
      (of) => setControls({ of }),
      // Without the controls, traits keep their names from the manifest.
      () => {},
    );
  }, []);
  const traits = filterObjects(block.traits);
  return (
    <section aria-label={words.traits}>
      <Stack>
        <h3>{words.traits}</h3>
        <p className={style.muted}>{traits.length > 0 ? words.traitsHint : words.noTraits}</p>
        {traits.map(({ label, attributes }, position) => (
          <fieldset key={position} className={style.trait}>
            <legend>{String(label ?? '')}</legend>
            <Grid>
              {filterObjects(attributes).map((attribute, place) => {
                const { widget, control } = controls?.of(attribute) ?? {};
                return (
                  <TraitControl
                    key={place}
                    attribute={attribute}
                    widget={widget ?? String(attribute.widget)}
                    control={control ?? null}
                    value={findSetting(settings, attribute)}
                    onChange={(value) => onChange(withSetting(settings, attribute, value))}
                  />
                );
              })}
            </Grid>
          </fieldset>
        ))}
      </Stack>
    </section>
  );
}

const unset = 'unset';

function TraitControl({
  attribute: { slot, target, writeKey },
  widget,
  control,
  value,
  onChange,
}: {
  attribute: TraitAttribute;
  widget: string;
  /** Null: the attribute is unknown, which the problems report. */
  control: Control | null;
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}) {
  const words = useDeveloperTexts();
  const label = `${widget}: ${writeKey}`;
  const place = `${slot} · ${target}`;
  switch (control?.kind) {
    case 'switch':
      return (
        <Row>
          <Switch label={label} value={value === true} onChange={onChange} />
          <small className={style.muted}>{place}</small>
        </Row>
      );
    case 'choice':
      return (
        <Select
          label={label}
          hint={place}
          choices={[
            { id: unset, text: words.asAuthored },
            ...control.choices.map((choice) => ({ id: String(choice), text: String(choice) })),
          ]}
          value={value === undefined ? unset : String(value)}
          onChange={(id) => onChange(control.choices.find((choice) => String(choice) === id))}
        />
      );
    case 'number':
    case 'text':
      return <TypedControl label={label} place={place} control={control} onChange={onChange} />;
    default:
      return (
        <p>
          <span className={style.controlName}>{label}</span>
          <small className={style.muted}>
            {place}. {control ? words.chosenInEditor : words.unknownControl}
          </small>
        </p>
      );
  }
}

/** A control for typed values; each valid value is applied at once. */
function TypedControl({
  label,
  place,
  control,
  onChange,
}: {
  label: string;
  place: string;
  control: Extract<Control, { kind: 'number' | 'text' }>;
  onChange(value: Json | undefined): void;
}) {
  const words = useDeveloperTexts();
  const [typed, setTyped] = useState('');
  const value = typed === '' ? undefined : readValue(typed, control);
  return (
    <TextField
      label={label}
      hint={value === null ? `${place}. ${words.notAValue}` : place}
      placeholder={words.asAuthored}
      inputMode={control.kind === 'number' ? 'decimal' : 'text'}
      value={typed}
      onChange={(text) => {
        setTyped(text);
        const next = text === '' ? undefined : readValue(text, control);
        if (next !== null) onChange(next);
      }}
    />
  );
}

/** Parses a typed value; null if it is invalid. */
function readValue(text: string, control: Extract<Control, { kind: 'number' | 'text' }>): Json {
  if (control.kind === 'text')
    return !control.pattern || new RegExp(control.pattern, 'u').test(text) ? text : null;
  const number = Number(
    readTypedNumber(text, { language: document.documentElement.lang || 'en', decimals: 10 }),
  );
  const { minimum = -Infinity, maximum = Infinity } = control;
  return Number.isFinite(number) && number >= minimum && number <= maximum ? number : null;
}
