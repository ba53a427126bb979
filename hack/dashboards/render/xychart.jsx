// The XY chart of Grafana is a part of its application, not of its packages. This draws the
// points and lines itself, on the axes and with the legend of the packages.
import { getFieldDisplayName, getFieldSeriesColor, formattedValueToString, FieldType } from '@grafana/data';
import { UPlotChart, UPlotConfigBuilder, VizLayout, VizLegend } from '@grafana/ui';
import { AxisPlacement, ScaleDirection, ScaleOrientation } from '@grafana/schema';
import { useMemo } from 'react';

export function XYChart({ panel, frames, theme, width, height }) {
  const series = useMemo(() => seriesOf(frames, theme), [frames, theme]);
  const config = useMemo(() => configOf(series, theme), [series, theme]);
  const data = useMemo(() => [null, ...series.map(({ x, y }) => [x.values, y.values])], [series]);
  const { legend } = panel.options;
  const items = series.map(({ label, color, y }) => ({ label, color, yAxis: 1, lineStyle: y.config.custom.lineStyle }));
  return (
    <VizLayout width={width} height={height} legend={<VizLayout.Legend placement={legend.placement}><VizLegend items={items} placement={legend.placement} displayMode={legend.displayMode} /></VizLayout.Legend>}>
      {(width, height) => <UPlotChart config={config} data={data} width={width} height={height} />}
    </VizLayout>
  );
}

// seriesOf takes the first number of each frame as x and the second as y, and colours the
// series in their order.
function seriesOf(frames, theme) {
  const found = frames.map((frame, i) => {
    const [x, y] = frame.fields.filter((field) => field.type === FieldType.number);
    y.state = { ...y.state, seriesIndex: i };
    return { x, y, label: getFieldDisplayName(y, frame, frames), color: getFieldSeriesColor(y, theme).color };
  });
  const start = shared(found.map(({ label }) => label));
  return found.map((one) => ({ ...one, label: one.label.slice(start) }));
}

// shared is the length of the words with which all names start.
function shared(names) {
  if (names.length < 2) {
    return 0;
  }
  let length = 0;
  while (length < names[0].length && names.every((name) => name[length] === names[0][length])) {
    length++;
  }
  return names[0].lastIndexOf(' ', length - 1) + 1;
}

function configOf(series, theme) {
  const builder = new UPlotConfigBuilder();
  builder.setMode(2);
  // Room for half of the last value of the axis, and for the lower parts of its label.
  builder.setPadding([null, 28, 4, null]);
  const [{ x, y }] = series;
  const axis = (scaleKey, field, placement) => ({
    scaleKey,
    placement,
    theme,
    label: field.config.custom.axisLabel || undefined,
    formatValue: (value, decimals) => formattedValueToString(field.display(value, decimals)),
  });
  builder.addScale({ scaleKey: 'x', orientation: ScaleOrientation.Horizontal, direction: ScaleDirection.Right });
  builder.addScale({ scaleKey: 'y', orientation: ScaleOrientation.Vertical, direction: ScaleDirection.Up });
  builder.addAxis(axis('x', x, AxisPlacement.Bottom));
  builder.addAxis(axis('y', y, AxisPlacement.Left));
  for (const { color } of series) {
    builder.addSeries({
      facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }],
      pathBuilder: () => null,
      theme,
      scaleKey: '',
      lineColor: color,
    });
  }
  builder.addHook('draw', (plot) => series.forEach((one) => drawn(plot, one)));
  return builder;
}

function drawn(plot, { x, y, color }) {
  const { show, lineWidth, lineStyle, pointSize } = y.config.custom;
  const ratio = devicePixelRatio;
  const points = x.values.map((value, i) => [plot.valToPos(value, 'x', true), plot.valToPos(y.values[i], 'y', true)]);
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = lineWidth * ratio;
  ctx.setLineDash(lineStyle.fill === 'dash' ? lineStyle.dash.map((length) => length * ratio) : []);
  if (show !== 'points') {
    ctx.beginPath();
    points.forEach(([left, top]) => ctx.lineTo(left, top));
    ctx.stroke();
  }
  if (show !== 'lines') {
    for (const [left, top] of points) {
      ctx.beginPath();
      ctx.arc(left, top, (pointSize.fixed / 2) * ratio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  ctx.restore();
}
