import { LocalizedStringDictionary, LocalizedStringFormatter } from '@internationalized/string';
import type { GetICUArgs } from '@schummar/icu-type-parser';

/**
 * A catalogue as the build compiles it (`catalogues.ts`): a message without arguments is a string, any other a function
 * of its named arguments.
 */
export type Compiled<Catalogue> = Catalogue extends string
  ? CompiledMessage<Catalogue>
  : { readonly [Key in keyof Catalogue]: Compiled<Catalogue[Key]> };

type CompiledMessage<Message extends string> = keyof Arguments<Message> extends never
  ? string
  : (args: Arguments<Message>) => string;

/** `{name}` is inserted as it is; `{count, plural, …}` and `{count, number}` follow the rules of the language. */
type Arguments<Message extends string> = GetICUArgs<
  Message,
  { ICUArgument: string | number; ICUNumberArgument: number }
>;

/** A catalogue with the keys of another. */
export type Translation<Catalogue> = Catalogue extends string
  ? string
  : { readonly [Key in keyof Catalogue]: Translation<Catalogue[Key]> };

/** A message that takes these arguments, or that needs none of them. */
export type Message<Args> = string | ((args: Args) => string);

/** Returns the text of a message of which only its arguments are known, such as one of a map of messages. */
export const formatMessage = <Args>(message: Message<Args>, args: Args): string =>
  typeof message === 'string' ? message : message(args);

/** Returns the texts of a catalogue, which has been compiled, with plurals and numbers as a language writes them. */
export function bindCatalogue<Catalogue>(catalogue: Catalogue, language: string): Compiled<Catalogue> {
  // The sources have the type of a catalogue, but the bundler loads what the build makes of it.
  const compiled = catalogue as unknown as (formatter: LocalizedStringFormatter) => Compiled<Catalogue>;
  return compiled(new LocalizedStringFormatter(language, new LocalizedStringDictionary({})));
}
