/** The page editor. */
const words = {
  loading: 'Opening the editor…',
};

export default words;
export type EditorWords = typeof words;
