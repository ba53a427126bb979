// Finds text that can't be read in full.
export function clipped() {
  const found = [];
  for (const panel of document.querySelectorAll('[data-panel]')) {
    const walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const by = text.data.trim() && hider(text, panel);
      if (by) {
        found.push(`${panel.dataset.panel}: ${text.data.trim()} (${by})`);
      }
    }
  }
  return found;
}

// hider says what hides a part of a text: an element around it, or an ellipsis.
function hider(text, panel) {
  const range = document.createRange();
  range.selectNodeContents(text);
  const seen = range.getBoundingClientRect();
  if (!seen.width || getComputedStyle(text.parentElement).visibility === 'hidden') {
    return null;
  }
  for (let element = text.parentElement; element !== panel.parentElement; element = element.parentElement) {
    const style = getComputedStyle(element);
    if (style.overflowX === 'visible' && style.overflowY === 'visible' && element !== panel) {
      continue;
    }
    if (style.textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth) {
      return 'ellipsis';
    }
    const box = element.getBoundingClientRect();
    const over = Math.max(box.left - seen.left, seen.right - box.right, box.top - seen.top - 4, seen.bottom - box.bottom - 4);
    if (over > 1) {
      return `${Math.round(over)} pixels are hidden`;
    }
  }
  return null;
}
