import { EventBusSrv, ThemeContext, createTheme } from '@grafana/data';
import { ErrorBoundary, GlobalStyles, PanelChrome, PanelContextProvider } from '@grafana/ui';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import { kinds } from './panels.jsx';
import { run } from './queries.js';
import { fill, settings } from './settings.js';
import { configured, transformed } from './transform.js';
import { clipped } from './clipped.js';

// The grid of Grafana's dashboards, in pixels.
const columns = 24;
const row = 30;
const gap = 8;

const theme = createTheme({ colors: { mode: settings.theme } });
const bus = { eventsScope: 'page', eventBus: new EventBusSrv() };

// outcomes says for the ID of each panel whether it is drawn, blank, empty, failed or a box.
const outcomes = new Map();
const blanks = new Set();

async function load() {
  const dashboard = await (await fetch(`/dashboards/${settings.dashboard}.json`)).json();
  const margin = 16;
  const wide = (innerWidth - 2 * margin - (columns - 1) * gap) / columns;
  const panels = await Promise.all(
    dashboard.panels.map(async (panel) => {
      const { x, y, w, h } = panel.gridPos;
      const place = { left: x * (wide + gap), top: y * (row + gap), width: w * (wide + gap) - gap, height: h * (row + gap) - gap };
      return { panel, place, ...(panel.type === 'row' ? {} : await content(panel, place.width)) };
    })
  );
  // Text on a canvas needs its font before it is drawn.
  createRoot(document.getElementById('styles')).render(<Styles />);
  const inter = () => [...document.fonts].filter(({ family }) => family.includes('Inter'));
  await until(() => inter().length > 0);
  await Promise.all(inter().map((font) => font.load()));
  const bottom = Math.max(...panels.map(({ place }) => place.top + place.height));
  createRoot(document.getElementById('page')).render(<Page panels={panels} height={bottom} margin={margin} />);
}

// content returns the frames of a panel, or why it has none.
async function content(panel, width) {
  const kind = kinds[panel.type];
  if (!kind) {
    return { state: 'box' };
  }
  try {
    const frames = configured(panel, await transformed(panel, await run(panel, width)), theme, kind.defaults);
    return { state: frames.some((frame) => frame.length > 0) ? 'drawn' : 'empty', frames };
  } catch (error) {
    return { state: 'failed', message: error.message };
  }
}

function Page({ panels, height, margin }) {
  const [settled, settle] = useState(false);
  useEffect(() => void finish().then(() => settle(true)), []);
  return (
    <ThemeContext.Provider value={theme}>
      <PanelContextProvider value={bus}>
        <div style={{ background: theme.colors.background.canvas, padding: margin }} data-settled={settled}>
          <div style={{ position: 'relative', height }}>
            {panels.map((one) => (
              <div key={one.panel.id} data-panel={one.panel.title} style={{ position: 'absolute', ...one.place }}>
                {one.panel.type === 'row' ? <h2 style={{ fontSize: 18, lineHeight: '30px' }}>{one.panel.title}</h2> : <Framed {...one} />}
              </div>
            ))}
          </div>
        </div>
      </PanelContextProvider>
    </ThemeContext.Provider>
  );
}

function Framed({ panel, place, state, frames, message }) {
  return (
    <PanelChrome width={place.width} height={place.height} title={fill(panel.title)} description={panel.description} statusMessage={message}>
      {(width, height) => (
        <ErrorBoundary>
          {({ error }) => {
            const happened = error ? 'failed' : state;
            outcomes.set(panel.id, { Title: panel.title, Kind: panel.type, State: happened, Message: error?.message ?? message ?? '' });
            if (happened === 'failed') {
              return <Words>{error?.message ?? message}</Words>;
            }
            if (happened === 'box') {
              return <Words>This kind of panel ({panel.type}) is not a part of Grafana’s packages, so it is not drawn here.</Words>;
            }
            const Drawing = kinds[panel.type].draw;
            if (happened === 'empty' && panel.type !== 'stat') {
              return <Words>{panel.fieldConfig.defaults.noValue ?? 'No data'}</Words>;
            }
            return <div data-drawn={panel.id}><Drawing panel={panel} frames={frames} theme={theme} width={width} height={height} /></div>;
          }}
        </ErrorBoundary>
      )}
    </PanelChrome>
  );
}

function Words({ children }) {
  return <div style={{ height: '100%', display: 'grid', placeItems: 'center', textAlign: 'center', color: theme.colors.text.secondary }}>{children}</div>;
}

const frame = () => new Promise((done) => requestAnimationFrame(done));

function Styles() {
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles isExtensionSidebarOpen={false} />
    </ThemeContext.Provider>
  );
}

// finish waits until the icons are there and everything is laid out.
async function finish() {
  await frame();
  await frame();
  const drawings = [...document.querySelectorAll('[data-drawn]')];
  await until(() => !document.querySelector('[data-panel] svg:empty') && !drawings.some(blank));
  for (const drawing of drawings.filter(blank)) {
    blanks.add(Number(drawing.dataset.drawn));
  }
  await frame();
}

// until waits for a condition, for at most ten seconds. Without it the page is still photographed.
async function until(condition) {
  const end = performance.now() + 10_000;
  while (!condition() && performance.now() < end) {
    await frame();
  }
}

// blank says whether a panel shows neither text nor a drawing yet. Tables are drawn late.
const blank = (drawing) => !drawing.querySelector('canvas') && ![...drawing.querySelectorAll('*')].some(readable);
const readable = (element) => !element.childElementCount && element.textContent.trim() && element.checkVisibility({ contentVisibilityAuto: true });

window.inspect = () => ({
  Panels: [...outcomes].map(([id, one]) => (blanks.has(id) ? { ...one, State: 'blank' } : one)),
  Clipped: clipped(),
});

// A page that can't be loaded is settled, too.
load().catch((error) => {
  console.error(error);
  document.body.textContent = String(error);
  document.body.dataset.settled = true;
});
