import { EditorView } from './codemirror.js';

/**
 * Replaces the selection of an editor by what is typed. Left to itself, a browser gives that the colours of the words that it
 * replaces as an inline style, which the page forbids.
 */
export const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    const { data: text } = event;
    if (event.inputType !== 'insertText' || event.isComposing || empty || !text) return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});
