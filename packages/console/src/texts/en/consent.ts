const words = {
  title: (app: string) => `Connect ${app}`,
  by: (org: string) => `by ${org}`,
  store: 'With which store?',
  asks: (app: string) => `${app} will be able to`,
  asksNothing: (app: string) => `${app} asks for no access to your data.`,
  connects: 'Its islands on your pages will talk to',
  agree: 'Allow and go on',
  again: 'Go on',
  decline: 'Decline',
  leadsTo: (host: string) => `Either way you go on to ${host}.`,
  alreadyThere: (app: string) => `${app} is installed in this store. It keeps what you allowed then:`,
  disabled: (app: string) => `${app} is not available in this store at present. Enable it under Apps first.`,
  noStore: 'You manage no store yet. Apps are installed by admins and owners.',
  changed: 'What it asks for has changed while you looked. Please read it again.',
  broken: 'The app led you here with an incomplete address. Start again from the app.',
};

export default words;
export type ConsentWords = typeof words;
