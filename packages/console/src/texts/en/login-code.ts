const words = {
  title: 'Sign in the command line',
  asks: (name: string) => `waybill, in a terminal on this computer, asks to be signed in as ${name}.`,
  only: 'Agree only if you have just run “waybill login” here. It will be able to do all that you can do, until you end its session under Account.',
  compare: 'The terminal shows the same code as this page:',
  agree: 'Sign it in',
  decline: 'Decline',
  broken: 'The address is not complete. Run “waybill login” again.',
};

export default words;
export type LoginCodeWords = typeof words;
