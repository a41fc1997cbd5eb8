/// How the report looks, on light and dark screens.
enum ReportStyle {
  static let css: String = colours + layout + drawings

  private static let colours = """
    :root{--page:#f6f5f1;--card:#fff;--ink:#1d2328;--soft:#667078;--line:#e3e1da;--well:#1f7a54;\
    --broken:#b3261e;--whole:#3f9c7a;--l0:#f3d58b;--l1:#eeb75c;--l2:#e2913c;--l3:#cc6528;\
    --l4:#a63b1c;--off:#c9c6be;--cut:#b3261e14;--one:#2a6fb0;--two:#c2571a;--three:#7a4fa3}
    @media(prefers-color-scheme:dark){:root{--page:#14181b;--card:#1d2327;--ink:#e8e6e0;\
    --soft:#98a2a9;--line:#2f373d;--well:#63c297;--broken:#ff8a80;--whole:#3d8f72;--l0:#8a7436;\
    --l1:#a97a2f;--l2:#c47a33;--l3:#d9642d;--l4:#f0562f;--off:#4a5359;--cut:#ff8a801f;\
    --one:#6db0ee;--two:#f0965a;--three:#b895e0}}

    """

  private static let layout = """
    *{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);\
    font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
    main{max-width:1040px;margin:0 auto;padding:40px 20px 60px}
    .kind{margin:0;color:var(--soft);font-size:13px;letter-spacing:.08em;text-transform:uppercase}
    h1{margin:.1em 0 .3em;font-size:38px;line-height:1.15;font-weight:700}
    h2{margin:0 0 14px;font-size:19px}h3{font-size:15px;margin:22px 0 8px}
    .story{white-space:pre-line;font-size:18px;max-width:46em;margin:0 0 18px}
    .verdict{display:inline-block;margin:0 0 22px;padding:5px 14px;border-radius:99px;\
    font-weight:600;border:1.5px solid}
    .well{color:var(--well)}.broken{color:var(--broken)}
    .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(138px,1fr));gap:10px;
    margin:0 0 22px}
    .figures div{background:var(--card);border:1px solid var(--line);border-radius:12px;\
    padding:12px 14px;display:flex;flex-direction:column-reverse;justify-content:flex-end}
    dd{margin:0;font-size:22px;font-weight:650;white-space:nowrap}\
    dt{color:var(--soft);font-size:13px;line-height:1.3}
    section{background:var(--card);border:1px solid var(--line);border-radius:14px;\
    padding:20px 22px;margin:0 0 18px}
    table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
    th{text-align:left;color:var(--soft);font-weight:500}\
    td,th{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
    .scroll{overflow-x:auto}.hash{font-family:ui-monospace,monospace;font-size:13px}
    .bad td:nth-child(2){color:var(--broken);font-weight:600}
    .legend{color:var(--soft);font-size:13px;margin:4px 0 14px}
    .legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin:0 6px -1px 14px}\
    .legend i:first-child{margin-left:0}
    .events{columns:2;column-gap:32px;padding-left:26px;margin:6px 0 0;font-size:14px}\
    .events time{color:var(--soft);margin-right:6px;font-variant-numeric:tabular-nums}
    .events li{break-inside:avoid}@media(max-width:700px){.events{columns:1}}
    .faults{display:flex;flex-wrap:wrap;gap:6px 18px;list-style:none;padding:0;margin:0;
    font-size:14px}
    footer{color:var(--soft);font-size:13px;margin-top:26px;overflow-wrap:anywhere}

    """

  private static let drawings: String = """
    svg{display:block;width:100%;height:auto}.grid{stroke:var(--line);stroke-width:1}\
    .tick,.name{fill:var(--soft);font-size:11px}.name{fill:var(--ink)}
    polyline,polygon,path{fill:none}.cut{fill:var(--cut)}.cutkey{background:var(--cut);\
    outline:1px solid var(--line)}.mark{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 3;
    opacity:.45}
    .whole{fill:var(--whole);background:var(--whole)}.lacks0{fill:var(--l0);background:var(--l0)}\
    .lacks1{fill:var(--l1);background:var(--l1)}.lacks2{fill:var(--l2);background:var(--l2)}\
    .lacks3{fill:var(--l3);background:var(--l3)}.lacks4{fill:var(--l4);background:var(--l4)}
    rect.off,rect.absent{fill:none}i.off{outline:1px solid var(--off)}\
    .asleep{fill:var(--off);background:var(--off)}
    .worst{stroke:var(--two);stroke-width:1.6}.average{stroke:var(--one);stroke-width:1.6}\
    .states{stroke:var(--three);stroke-width:1.8}.bytes{stroke:var(--one);stroke-width:1.4}
    .fill{stroke:none;fill:var(--one);opacity:.16}i.worst{background:var(--two)}\
    i.average,i.bytes{background:var(--one)}i.states{background:var(--three)}
    .map{background:var(--page);border-radius:10px}.fence{stroke-width:1.4;fill-opacity:.13}\
    .k1{stroke:var(--well);fill:var(--well);background:var(--well)}\
    .k2{stroke:var(--broken);fill:var(--broken);background:var(--broken)}\
    .k3{stroke:var(--one);fill:var(--one);background:var(--one)}\
    .idle{stroke-dasharray:4 4;fill-opacity:.03}.ruler{stroke:var(--ink);stroke-width:2}
    .way{stroke-width:1.6;opacity:.65;stroke-linejoin:round}.who{stroke:var(--card);
    stroke-width:1.5}
    """ + hues

  private static let hues: String = (0..<12).map { index in
    let colour = "hsl(\(index * 30 + 10) 62% 48%)"
    return ".way.h\(index){stroke:\(colour)}.who.h\(index){fill:\(colour)}"
  }.joined()
}
