/**
 * Puts a text on the clipboard, also where the page came without TLS and browsers give it no clipboard of its own. False when the browser
 * does not let it.
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

/** @param {string} text */
function copyByCommand(text) {
  let isCopied = false;
  const put = (/** @type {ClipboardEvent} */ event) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopPropagation();
    isCopied = true;
  };
  // The first to hear of it, so that no table puts its own cell there.
  window.addEventListener('copy', put, { capture: true, once: true });
  document.execCommand('copy');
  window.removeEventListener('copy', put, { capture: true });
  return isCopied;
}
