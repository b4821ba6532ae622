// What a reader of a page has trouble with: texts of too little contrast or too small, a page wider than its window. Run in
// a page around the one that is looked at.
function look(frame, report) {
  const page = frame.contentDocument, win = frame.contentWindow;
  const colour = text => {
    const parts = text.match(/[-\d.e]+/g).map(Number);
    const unit = text.startsWith("color(");
    const [r, g, b] = parts.slice(0, 3).map(v => (unit ? v * 255 : v));
    return { r, g, b, a: parts.length > 3 ? parts[3] : 1 };
  };
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a),
    g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a),
    a: 1,
  });
  const light = c => {
    const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
  };
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const background = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const own = colour(win.getComputedStyle(at).backgroundColor);
      layers.push(own);
      if (own.a === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
  };
  const found = [];
  let texts = 0;
  const walker = page.createTreeWalker(page.body, win.NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (!text || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    texts++;
    const style = win.getComputedStyle(element), svg = element.closest("svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const size = parseFloat(style.fontSize) * scale;
    const paper = svg ? colour(win.getComputedStyle(svg.querySelector(".paper")).fill) : background(element);
    const ratio = contrast(over(colour(svg ? style.fill : style.color), paper), paper);
    if (size < 11) found.push(`${size.toFixed(1)} px: ${text.slice(0, 40)}`);
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  const wide = page.documentElement.scrollWidth, window = win.innerWidth;
  if (wide > window) found.push(`the page takes ${wide} of ${window} pixels`);
  for (const element of ["header", "main", "footer", "nav"]) {
    if (!page.querySelector(element)) found.push(`no ${element}`);
  }
  const paper = background(page.body);
  report.textContent = JSON.stringify({ texts, window, paper: light(paper), found: [...new Set(found)] });
}
