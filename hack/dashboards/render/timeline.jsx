// The state timeline of Grafana is a part of its application, not of its packages. This draws
// the bars itself, on the axes and with the legend of the packages.
import { FieldType, formattedValueToString, getFieldDisplayName } from '@grafana/data';
import { AxisPlacement, ScaleDirection, ScaleOrientation } from '@grafana/schema';
import { UPLOT_AXIS_FONT_SIZE, UPlotChart, UPlotConfigBuilder, VizLayout, VizLegend, measureText } from '@grafana/ui';
import { useMemo } from 'react';
import { settings } from './settings.js';

export function Timeline({ panel, frames, theme, width, height }) {
  const rows = useMemo(() => frames.map((frame) => rowOf(frame, frames)), [frames]);
  const config = useMemo(() => configOf(rows, panel, theme), [rows, panel, theme]);
  const data = useMemo(() => [null, [[settings.range.from.valueOf(), settings.range.to.valueOf()], [0, rows.length]]], [rows]);
  const { legend } = panel.options;
  const items = [...new Map(rows.flatMap(({ bars }) => bars.map(({ label, color }) => [label, { label, color, yAxis: 1 }]))).values()];
  return (
    <VizLayout width={width} height={height} legend={<VizLayout.Legend placement={legend.placement}><VizLegend items={items} placement={legend.placement} displayMode={legend.displayMode} /></VizLayout.Legend>}>
      {(width, height) => <UPlotChart config={config} data={data} width={width} height={height} />}
    </VizLayout>
  );
}

// rowOf joins consecutive samples with the same value to bars.
function rowOf(frame, frames) {
  const time = frame.fields.find((field) => field.type === FieldType.time);
  const state = frame.fields.find((field) => field.type === FieldType.number);
  const step = time.config.interval;
  const bars = [];
  time.values.forEach((at, i) => {
    const last = bars.at(-1);
    if (last?.value === state.values[i] && last.to === at) {
      last.to = at + step;
      return;
    }
    const shown = state.display(state.values[i]);
    bars.push({ value: state.values[i], from: at, to: at + step, label: formattedValueToString(shown), color: shown.color });
  });
  return { name: getFieldDisplayName(state, frame, frames), bars };
}

function configOf(rows, panel, theme) {
  const builder = new UPlotConfigBuilder('utc');
  builder.setMode(2);
  const range = [settings.range.from.valueOf(), settings.range.to.valueOf()];
  builder.addScale({ scaleKey: 'x', isTime: true, orientation: ScaleOrientation.Horizontal, direction: ScaleDirection.Right, range: () => range });
  builder.addScale({ scaleKey: 'y', orientation: ScaleOrientation.Vertical, direction: ScaleDirection.Up, range: () => [0, rows.length] });
  builder.addAxis({ scaleKey: 'x', isTime: true, placement: AxisPlacement.Bottom, timeZone: 'utc', theme });
  // The first row is at the top.
  const middle = (i) => rows.length - i - 0.5;
  builder.addAxis({
    scaleKey: 'y', placement: AxisPlacement.Left, theme, grid: { show: false },
    size: Math.max(...rows.map(({ name }) => measureText(name, UPLOT_AXIS_FONT_SIZE).width)) + 18,
    splits: rows.map((_, i) => middle(i)), values: rows.map(({ name }) => name),
  });
  builder.addSeries({ facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }], pathBuilder: () => null, theme, scaleKey: '' });
  builder.addHook('draw', (plot) => rows.forEach(({ bars }, i) => drawn(plot, bars, middle(i), panel, theme)));
  return builder;
}

function drawn(plot, bars, middle, panel, theme) {
  const { rowHeight } = panel.options;
  const { fillOpacity } = panel.fieldConfig.defaults.custom;
  const { ctx, bbox } = plot;
  const top = plot.valToPos(middle + rowHeight / 2, 'y', true);
  const high = plot.valToPos(middle - rowHeight / 2, 'y', true) - top;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${UPLOT_AXIS_FONT_SIZE * devicePixelRatio}px ${theme.typography.fontFamily}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { from, to, label, color } of bars) {
    const left = Math.max(plot.valToPos(from, 'x', true), bbox.left);
    const wide = Math.min(plot.valToPos(to, 'x', true), bbox.left + bbox.width) - left;
    ctx.globalAlpha = fillOpacity / 100;
    ctx.fillStyle = color;
    ctx.fillRect(left, top, wide, high);
    ctx.globalAlpha = 1;
    ctx.fillStyle = theme.colors.getContrastText(color);
    if (ctx.measureText(label).width + 8 < wide) {
      ctx.fillText(label, left + 4, top + high / 2);
    }
  }
  ctx.restore();
}
