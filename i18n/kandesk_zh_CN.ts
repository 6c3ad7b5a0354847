<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>Activity</name>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>获取</translation>
    </message>
    <message>
        <source>Think</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Subagent</source>
        <translation>子代理</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>退出码 %1</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>Waits for permission</source>
        <translation>等待许可</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>To do</source>
        <translation>待办</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>%1 of %2 done</source>
        <translation>已完成 %1/%2</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>等待您决定</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>已批准</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>Declined</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>结果未知</translation>
    </message>
    <message>
        <source>other arguments than asked for</source>
        <translation>参数与请求时不同</translation>
    </message>
</context>
<context>
    <name>AgentChoice</name>
    <message>
        <source>Agents</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Another command</source>
        <translation>其他命令</translation>
    </message>
    <message>
        <source>Command that speaks the agent protocol</source>
        <translation>支持代理协议的命令</translation>
    </message>
    <message>
        <source>NAME=value program --option</source>
        <translation>名称=值 程序 --选项</translation>
    </message>
    <message>
        <source>Hide agents that are not installed</source>
        <translation>隐藏未安装的代理</translation>
    </message>
    <message numerus="yes">
        <source>%n agent(s) that can be installed…</source>
        <translation>
            <numerusform>可安装的代理（%n 个）…</numerusform>
        </translation>
    </message>
    <message>
        <source>Not found on this machine. To install it:</source>
        <translation>在此电脑上未找到。安装方法：</translation>
    </message>
</context>
<context>
    <name>AgentPickers</name>
    <message>
        <source>Mode of the agent</source>
        <translation>代理的模式</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>The program of %1 was not found. Install it, then resume.</source>
        <translation>未找到 %1 的程序。请安装后再继续。</translation>
    </message>
    <message>
        <source>The folder of this conversation is gone. Bring it back, then resume.</source>
        <translation>此会话的文件夹已不存在。请恢复它，然后再继续。</translation>
    </message>
    <message>
        <source>%1 was started and does not answer. Nothing was sent to it.</source>
        <translation>%1 已启动，但没有回应。没有向它发送任何内容。</translation>
    </message>
    <message>
        <source>What was started for %1 does not speak the agent protocol.</source>
        <translation>为 %1 启动的程序不支持代理协议。</translation>
    </message>
    <message>
        <source>%1 wants you to sign in. Do so in a terminal, then resume.</source>
        <translation>%1 要求您登录。请在终端中登录，然后再继续。</translation>
    </message>
    <message>
        <source>%1 could not continue the earlier conversation. Starting anew works, but it then remembers nothing of it; the rows here stay.</source>
        <translation>%1 无法继续之前的会话。可以重新开始，但它不会记得之前的内容；这里的记录会保留。</translation>
    </message>
    <message>
        <source>%1 works and has said nothing for long. It may go on; you decide.</source>
        <translation>%1 正在工作，但很久没有消息。它可以继续；由您决定。</translation>
    </message>
    <message>
        <source>%1 was told to stop and goes on. Stopping the agent ends its process.</source>
        <translation>已要求 %1 停止，但它仍在继续。停止代理会结束它的进程。</translation>
    </message>
    <message>
        <source>Kandesk ended while a message was being handed to %1. Whether it arrived is not known; it is not sent again by itself.</source>
        <translation>向 %1 交付消息时 Kandesk 结束了。不知道消息是否送达；它不会自动再次发送。</translation>
    </message>
    <message>
        <source>This agent runs elsewhere: it can be answered here, not messaged.</source>
        <translation>此代理在别处运行：可以在这里回答它，但不能给它发消息。</translation>
    </message>
    <message>
        <source>This conversation was not started here: it can only be read.</source>
        <translation>此会话不是在这里开始的：只能阅读。</translation>
    </message>
    <message>
        <source>The agent is not running. Resume it to write to it.</source>
        <translation>代理未在运行。请先点“继续”，再向其发送消息。</translation>
    </message>
    <message>
        <source>Sends now</source>
        <translation>立即发送</translation>
    </message>
    <message>
        <source>%1 could not start. The conversation is kept; resuming tries again.</source>
        <translation>%1 未能启动。对话已保留；点“继续”会再试一次。</translation>
    </message>
    <message>
        <source>%1 ended unexpectedly. The conversation is kept; resuming starts it again.</source>
        <translation>%1 意外结束。对话已保留；点“继续”会重新启动它。</translation>
    </message>
    <message>
        <source>Sends now and starts the agent</source>
        <translation>立即发送并启动代理</translation>
    </message>
    <message>
        <source>Will be queued: the agent is starting</source>
        <translation>将排队：代理正在启动</translation>
    </message>
    <message>
        <source>Will be queued: the agent is working</source>
        <translation>将排队：代理正在工作</translation>
    </message>
    <message>
        <source>Will be queued: the agent&apos;s question comes first</source>
        <translation>将排队：先处理代理的问题</translation>
    </message>
    <message>
        <source>Will be queued: the agent waits for your permission</source>
        <translation>将排队：代理正在等待您的许可</translation>
    </message>
    <message>
        <source>Will be queued: messages that wait come first</source>
        <translation>将进入队列：等待中的消息优先</translation>
    </message>
    <message>
        <source>This session has ended.</source>
        <translation>此会话已结束。</translation>
    </message>
    <message>
        <source>Sent.</source>
        <translation>已发送。</translation>
    </message>
    <message>
        <source>Queued. It waits until you send it.</source>
        <translation>已排队。等您来发送。</translation>
    </message>
    <message>
        <source>Queued. It is sent when the agent is free.</source>
        <translation>已排队。代理空闲时发送。</translation>
    </message>
    <message>
        <source>This is not possible now. Nothing was sent, and your text is kept.</source>
        <translation>现在无法这样做。没有发送任何内容，您的文本已保留。</translation>
    </message>
    <message>
        <source>This is no longer here.</source>
        <translation>它已不在这里。</translation>
    </message>
    <message>
        <source>It was changed in the meantime. Look at it again, then repeat.</source>
        <translation>它在此期间已被更改。请再看一次，然后重试。</translation>
    </message>
    <message>
        <source>This message is too long: %1 characters at most. Nothing was sent.</source>
        <translation>此消息过长：最多 %1 个字符。没有发送任何内容。</translation>
    </message>
    <message>
        <source>This message cannot be sent as it is. Nothing was sent.</source>
        <translation>此消息无法按原样发送。没有发送任何内容。</translation>
    </message>
    <message>
        <source>This agent was not found on this machine. Nothing was started.</source>
        <translation>在此电脑上未找到该代理。没有启动任何内容。</translation>
    </message>
    <message>
        <source>This command cannot be read or run. Nothing was started.</source>
        <translation>无法读取或运行此命令。没有启动任何内容。</translation>
    </message>
    <message>
        <source>This is not a folder that can be used. Nothing was started.</source>
        <translation>这不是可用的文件夹。没有启动任何内容。</translation>
    </message>
</context>
<context>
    <name>Ages</name>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) ago</source>
        <translation>
            <numerusform>%n 分钟前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) ago</source>
        <translation>
            <numerusform>%n 小时前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day(s) ago</source>
        <translation>
            <numerusform>%n 天前</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerBox</name>
    <message>
        <source>That text is too long to paste. Nothing was inserted.</source>
        <translation>文本过长，无法粘贴。没有插入任何内容。</translation>
    </message>
    <message>
        <source>That text holds characters that cannot be kept. Nothing was inserted.</source>
        <translation>文本含有无法保存的字符。没有插入任何内容。</translation>
    </message>
    <message numerus="yes">
        <source>Too long by %n character(s).</source>
        <translation>
            <numerusform>超出 %n 个字符。</numerusform>
        </translation>
    </message>
    <message>
        <source>This text is too long.</source>
        <translation>此文本过长。</translation>
    </message>
    <message>
        <source>This text cannot be sent as it is.</source>
        <translation>此文本无法按原样发送。</translation>
    </message>
    <message>
        <source>Kept, but not sent while an option is chosen. Edit it to send it.</source>
        <translation>已保留，但选中选项时不会发送。编辑它即可发送。</translation>
    </message>
    <message>
        <source>Your answer…</source>
        <translation>您的回答…</translation>
    </message>
    <message>
        <source>Add something in your own words…</source>
        <translation>用自己的话补充…</translation>
    </message>
    <message>
        <source>Or answer in your own words…</source>
        <translation>或用自己的话回答…</translation>
    </message>
    <message>
        <source>Answer in your own words</source>
        <translation>用自己的话回答</translation>
    </message>
</context>
<context>
    <name>AppMenu</name>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>发送消息的按键</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>回车键</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+回车键</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Normal size</source>
        <translation>正常大小</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Connect an agent…</source>
        <translation>连接代理…</translation>
    </message>
    <message>
        <source>About Kandesk</source>
        <translation>关于 Kandesk</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n 条新消息</numerusform>
        </translation>
    </message>
    <message>
        <source>To the end</source>
        <translation>到末尾</translation>
    </message>
    <message>
        <source>What the agent asks and says appears here.</source>
        <translation>代理的提问和发言会显示在这里。</translation>
    </message>
</context>
<context>
    <name>ClarificationOverlay</name>
    <message>
        <source>Choose it again or press Submit to send</source>
        <translation>再次选择它或按“提交”即可发送</translation>
    </message>
    <message>
        <source>Question from {agent} in {project}</source>
        <translation>来自 {agent} 的问题，项目 {project}</translation>
    </message>
</context>
<context>
    <name>CollapsedBar</name>
    <message>
        <source>your answer is kept</source>
        <translation>您的回答已保留</translation>
    </message>
    <message>
        <source>Question waiting</source>
        <translation>有问题在等待</translation>
    </message>
    <message numerus="yes">
        <source>%n question(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>Opens the question again</source>
        <translation>重新打开问题</translation>
    </message>
</context>
<context>
    <name>CommandList</name>
    <message numerus="yes">
        <source>%n command(s)</source>
        <translation>
            <numerusform>%n 个命令</numerusform>
        </translation>
    </message>
    <message>
        <source>Commands of the agent</source>
        <translation>代理的命令</translation>
    </message>
</context>
<context>
    <name>ComposerBox</name>
    <message>
        <source>Message to %1</source>
        <translation>给 %1 的消息</translation>
    </message>
    <message>
        <source>Queue a message for %1…</source>
        <translation>为 %1 排入一条消息…</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>回车键</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+回车键</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop what the agent does now</source>
        <translation>停止代理当前的工作</translation>
    </message>
</context>
<context>
    <name>ComposerHint</name>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>That text holds characters that cannot be kept. Nothing was inserted.</source>
        <translation>文本含有无法保存的字符。没有插入任何内容。</translation>
    </message>
    <message>
        <source>It is not known whether this was sent. Your text is kept; trying again is safe and sends it once.</source>
        <translation>不知道是否已发送。您的文本已保留；重试是安全的，只会发送一次。</translation>
    </message>
    <message>
        <source>An earlier wording was sent; what stands here was not. Send makes it a message of its own.</source>
        <translation>之前的措辞已发送；这里的内容没有发送。按“发送”会将其作为另一条消息。</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
</context>
<context>
    <name>Confirm</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ConfirmStrip</name>
    <message>
        <source>Reason (optional)</source>
        <translation>原因（可选）</translation>
    </message>
    <message>
        <source>Reason for skipping, optional</source>
        <translation>跳过的原因，可选</translation>
    </message>
    <message>
        <source>Keep answering</source>
        <translation>继续回答</translation>
    </message>
    <message>
        <source>Close this question as withdrawn by you? The agent is sent nothing; should it call again, it hears only that.</source>
        <translation>将此问题作为您撤回而关闭吗？不会向代理发送任何内容；如果它再次调用，只会得知问题已撤回。</translation>
    </message>
    <message>
        <source>Close as withdrawn</source>
        <translation>撤回并关闭</translation>
    </message>
    <message>
        <source>Skip? The agent is told that you chose not to answer, with your reason.</source>
        <translation>跳过吗？代理会得知您选择不回答，以及您填写的理由。</translation>
    </message>
    <message>
        <source>This reason cannot be sent: it is too long or holds odd characters.</source>
        <translation>此原因无法发送：过长或含有异常字符。</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
</context>
<context>
    <name>ContextBox</name>
    <message>
        <source>Context</source>
        <translation>背景</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show context</source>
        <translation>显示背景</translation>
    </message>
</context>
<context>
    <name>CopyLine</name>
    <message>
        <source>Copy: %1</source>
        <translation>复制：%1</translation>
    </message>
</context>
<context>
    <name>Counts</name>
    <message numerus="yes">
        <source>Show all %n line(s)</source>
        <translation>
            <numerusform>显示全部 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the last %n line(s) are shown</source>
        <translation>
            <numerusform>仅显示最后 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the first %n line(s) are shown</source>
        <translation>
            <numerusform>仅显示前 %n 行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CoveredList</name>
    <message>
        <source>Decide these too</source>
        <translation>同时决定这些</translation>
    </message>
    <message numerus="yes">
        <source>The new rule would decline %n more that wait(s):</source>
        <translation>
            <numerusform>新规则还会拒绝正在等待的 %n 个请求：</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Decline %n too</source>
        <translation>
            <numerusform>同时拒绝这 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The new rule would allow %n more that wait(s):</source>
        <translation>
            <numerusform>新规则还会允许正在等待的 %n 个请求：</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Approve %n too</source>
        <translation>
            <numerusform>同时批准这 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>Leave them open</source>
        <translation>让它们继续等待</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong in Kandesk</source>
        <translation>Kandesk 出了问题</translation>
    </message>
    <message>
        <source>Answers that were sent are safe in the store. You can go on; if things look odd, quit and start again.</source>
        <translation>已发送的回答都安全地保存在存储中。您可以继续；如果显示异常，请退出后重新启动。</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>DeclineStrip</name>
    <message>
        <source>Why not? The agent is told this (optional)</source>
        <translation>为什么不？代理会得知此原因（可选）</translation>
    </message>
    <message>
        <source>Reason for declining, optional</source>
        <translation>拒绝的原因（可选）</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Decline with this reason</source>
        <translation>以此原因拒绝</translation>
    </message>
</context>
<context>
    <name>DeskViewModel</name>
    <message>
        <source>The store is away. What you type is kept here and saved when it is back.</source>
        <translation>存储暂时不可用。您输入的内容会保留在此处，恢复后即保存。</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>This does not fit the question. Nothing was sent; please correct it.</source>
        <translation>这与问题不符。没有发送任何内容，请更正。</translation>
    </message>
    <message>
        <source>This text is too long. Nothing was sent; please shorten it.</source>
        <translation>文本过长。没有发送任何内容，请缩短。</translation>
    </message>
    <message>
        <source>There are too many entries. Nothing was sent; please remove some.</source>
        <translation>条目过多。没有发送任何内容，请删去一些。</translation>
    </message>
    <message>
        <source>The request had a part nobody knows. Nothing was sent.</source>
        <translation>请求中有无法识别的部分。没有发送任何内容。</translation>
    </message>
    <message>
        <source>This is no longer here.</source>
        <translation>它已不在这里。</translation>
    </message>
    <message>
        <source>This question can no longer be answered. The agent has moved on.</source>
        <translation>此问题已不能回答。代理已继续往下进行。</translation>
    </message>
    <message>
        <source>The agent has collected this answer in the meantime.</source>
        <translation>代理已在此期间取走了这个回答。</translation>
    </message>
    <message>
        <source>The same request came twice with different content. Nothing was changed.</source>
        <translation>同一请求以不同内容出现了两次。没有更改任何内容。</translation>
    </message>
    <message>
        <source>%{limit} messages wait in this conversation already. Send or remove one first; what you typed is kept.</source>
        <translation>本对话中已有 %{limit} 条消息在排队。请先发送或移除一条；您输入的内容已保留。</translation>
    </message>
    <message>
        <source>This did not work just now. Trying again is safe.</source>
        <translation>刚才没有成功。重试是安全的。</translation>
    </message>
    <message>
        <source>Too many calls wait at the same time. Answer some and try again.</source>
        <translation>同时等待的调用过多。请先回答一些再重试。</translation>
    </message>
    <message>
        <source>Kandesk is about to stop. Try again after it has started.</source>
        <translation>Kandesk 即将停止。请在它启动后重试。</translation>
    </message>
    <message>
        <source>The store is busy. Nothing was changed; trying again is safe.</source>
        <translation>存储正忙。没有更改任何内容，重试是安全的。</translation>
    </message>
    <message>
        <source>The answer could not be handed over. It is kept; trying again is safe.</source>
        <translation>回答未能交付。它已保留，重试是安全的。</translation>
    </message>
    <message>
        <source>The agent does not run or did not answer. Your text is kept.</source>
        <translation>代理没有运行或没有响应。您的文本已保留。</translation>
    </message>
    <message>
        <source>Another Kandesk uses this store: process %{pid} on %{host}, since %{since}. Close it, then try again.</source>
        <translation>另一个 Kandesk 正在使用此存储：%{host} 上的进程 %{pid}，自 %{since} 起。请先关闭它，再重试。</translation>
    </message>
    <message>
        <source>The disk is full. Nothing more can be saved until there is room.</source>
        <translation>磁盘已满。腾出空间之前无法再保存任何内容。</translation>
    </message>
    <message>
        <source>The store cannot be written. Nothing was changed. Check its permissions.</source>
        <translation>存储无法写入。没有更改任何内容。请检查其权限。</translation>
    </message>
    <message>
        <source>The store cannot be reached. Trying again is safe.</source>
        <translation>无法访问存储。重试是安全的。</translation>
    </message>
    <message>
        <source>The store lies on a network drive, where it is not safe. Move it.</source>
        <translation>存储位于网络驱动器上，在那里并不安全。请移动它。</translation>
    </message>
    <message>
        <source>Another program listens on port %{port}. Choose another one.</source>
        <translation>另一个程序正在端口 %{port} 上监听。请换一个端口。</translation>
    </message>
    <message>
        <source>The file %{path} is not safe from others. Make it yours alone, then try again.</source>
        <translation>文件 %{path} 不安全，他人可以更改或访问。请将其设为仅您可用，然后重试。</translation>
    </message>
    <message>
        <source>A setting cannot be used: %{setting}. Nothing was changed. Correct it, then try again.</source>
        <translation>有一项设置无法使用：%{setting}。未作任何更改。请更正后重试。</translation>
    </message>
    <message>
        <source>The system&apos;s keyring cannot be used, so no secret can be kept or read.</source>
        <translation>无法使用系统密钥环，因此无法保存或读取任何机密。</translation>
    </message>
    <message>
        <source>The store is damaged. Nothing was overwritten.</source>
        <translation>存储已损坏。没有覆盖任何内容。</translation>
    </message>
    <message>
        <source>A newer Kandesk wrote this store. Update Kandesk to open it.</source>
        <translation>此存储由更新版本的 Kandesk 写入。请更新 Kandesk 后再打开。</translation>
    </message>
    <message>
        <source>This file belongs to another program. Nothing was changed.</source>
        <translation>此文件属于其他程序。没有更改任何内容。</translation>
    </message>
    <message>
        <source>The store holds rows that cannot be read. Nothing was overwritten.</source>
        <translation>存储中有无法读取的行。没有覆盖任何内容。</translation>
    </message>
    <message>
        <source>An older Kandesk wrote this store. Nothing is changed before you agree to it.</source>
        <translation>此存储由较旧版本的 Kandesk 写入。在您同意之前不会更改任何内容。</translation>
    </message>
    <message>
        <source>An index of the store is not the one expected. Nothing was changed.</source>
        <translation>存储的某个索引与预期不符。没有更改任何内容。</translation>
    </message>
</context>
<context>
    <name>HistoryFacts</name>
    <message>
        <source>Permission</source>
        <translation>许可请求</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>结局</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>风险</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>提出于</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>决定于</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Answer is</source>
        <translation>回答状态</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Questions and permissions that are closed, newest first. To read only.</source>
        <translation>已关闭的问题和许可请求，最新的在前。仅供阅读。</translation>
    </message>
    <message>
        <source>Find in questions, answers and commands</source>
        <translation>在问题、回答和命令中查找</translation>
    </message>
    <message>
        <source>Find in the history</source>
        <translation>在历史中查找</translation>
    </message>
    <message>
        <source>Closed questions and permissions</source>
        <translation>已关闭的问题和许可请求</translation>
    </message>
    <message>
        <source>Open the conversation</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Show its record</source>
        <translation>显示其记录</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>未找到任何内容。</translation>
    </message>
    <message>
        <source>Nothing is closed yet. What you answer or decide is kept here.</source>
        <translation>还没有已关闭的内容。您回答或决定的内容会保存在这里。</translation>
    </message>
</context>
<context>
    <name>InboxModel</name>
    <message>
        <source>Answered, not yet collected</source>
        <translation>已回答，尚未取走</translation>
    </message>
    <message>
        <source>question from %1 in %2</source>
        <translation>来自 %1 的问题，项目 %2</translation>
    </message>
</context>
<context>
    <name>InboxView</name>
    <message>
        <source>question from %1 in %2</source>
        <translation>来自 %1 的问题，项目 %2</translation>
    </message>
    <message>
        <source>permission for %1 in %2</source>
        <translation>%1 在 %2 中请求许可</translation>
    </message>
    <message>
        <source>an agent</source>
        <translation>某个代理</translation>
    </message>
    <message>
        <source>Close question</source>
        <translation>关闭问题</translation>
    </message>
    <message numerus="yes">
        <source>Close %n question(s) without an answer?</source>
        <translation>
            <numerusform>不回答就关闭 %n 个问题？</numerusform>
        </translation>
    </message>
    <message>
        <source>The agent is told that the question was withdrawn by you.</source>
        <translation>代理会得知问题已由您撤回。</translation>
    </message>
    <message>
        <source>Close without an answer</source>
        <translation>不回答并关闭</translation>
    </message>
    <message>
        <source>Discard answer</source>
        <translation>丢弃回答</translation>
    </message>
    <message numerus="yes">
        <source>Discard %n stored answer(s)?</source>
        <translation>
            <numerusform>丢弃 %n 个已保存的回答？</numerusform>
        </translation>
    </message>
    <message>
        <source>The agent can no longer collect it.</source>
        <translation>代理将无法再取走它。</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) waiting for you</source>
        <translation>
            <numerusform>有 %n 个请求等待你处理</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n 个问题在等您</numerusform>
        </translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>收件箱</translation>
    </message>
    <message>
        <source>Nothing waits for you.</source>
        <translation>没有等待您处理的问题。</translation>
    </message>
    <message>
        <source>Questions waiting for you</source>
        <translation>等待您的问题</translation>
    </message>
    <message>
        <source>Close as withdrawn…</source>
        <translation>撤回并关闭…</translation>
    </message>
    <message>
        <source>Closes the question without an answer; the agent hears that you withdrew it</source>
        <translation>不回答并关闭问题；代理会得知您已撤回它</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the stored answer</source>
        <translation>复制已保存的回答</translation>
    </message>
    <message>
        <source>Drop the stored answer</source>
        <translation>丢弃已保存的回答</translation>
    </message>
</context>
<context>
    <name>LateAnswer</name>
    <message>
        <source>Context</source>
        <translation>背景</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
</context>
<context>
    <name>LateAnswerForm</name>
    <message>
        <source>Choose an option or write an answer, then it can be sent.</source>
        <translation>请选择一个选项或写下回答，然后即可发送。</translation>
    </message>
    <message>
        <source>Still to be answered: %1</source>
        <translation>尚未回答：%1</translation>
    </message>
    <message>
        <source>Answer as a new message</source>
        <translation>作为新消息回答</translation>
    </message>
    <message>
        <source>The agent no longer waits for this answer. It gets what you put in here as a new message.</source>
        <translation>代理不再等待此回答。您在这里填写的内容会作为新消息发给它。</translation>
    </message>
</context>
<context>
    <name>LateFooter</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Sends nothing; what you have put in is kept</source>
        <translation>不发送任何内容；您填写的内容会保留</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>Send as new message</source>
        <translation>作为新消息发送</translation>
    </message>
</context>
<context>
    <name>LeavingWords</name>
    <message>
        <source>Not everything is saved. Quit anyway?</source>
        <translation>并非所有内容都已保存。仍要退出吗？</translation>
    </message>
    <message>
        <source>Quit Kandesk</source>
        <translation>退出 Kandesk</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>What you typed last cannot be saved now: the store does not take it. It is lost if you quit before the store is back.</source>
        <translation>您最后输入的内容现在无法保存：存储不接受写入。如果在存储恢复之前退出，这些内容会丢失。</translation>
    </message>
    <message>
        <source>What agents said last cannot be saved now: the store does not take it. It is lost if you quit before the store is back.</source>
        <translation>代理最后说的内容现在无法保存：存储不接受写入。如果在存储恢复之前退出，这些内容会丢失。</translation>
    </message>
    <message>
        <source>The first message of a session that you have not started is kept nowhere. It is lost if you quit.</source>
        <translation>您尚未启动的会话的第一条消息没有保存在任何地方。退出后它会丢失。</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) still wait. Quit anyway?</source>
        <translation>
            <numerusform>仍有 %n 个请求在等待。仍要退出吗？</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) still wait. Quit anyway?</source>
        <translation>
            <numerusform>还有 %n 个问题在等待。仍要退出吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>Questions are kept, and are here again when Kandesk starts. Permissions that nobody has given are cancelled: the agents that ask for them end with Kandesk.</source>
        <translation>问题会保留，Kandesk 再次启动时仍在这里。尚未给出的许可会被取消：请求它们的代理会随 Kandesk 一起结束。</translation>
    </message>
    <message>
        <source>They are kept, and are here again when Kandesk starts.</source>
        <translation>它们会被保留，Kandesk 启动后会再次出现。</translation>
    </message>
</context>
<context>
    <name>LedgerFacts</name>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>决定于</translation>
    </message>
    <message>
        <source>By</source>
        <translation>由</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
</context>
<context>
    <name>LedgerPage</name>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Every call agents asked for, how it was decided and what came of it. Lines are added and never changed.</source>
        <translation>代理请求的每次调用、如何决定以及结果如何。记录只增加，从不更改。</translation>
    </message>
    <message>
        <source>Nothing is recorded yet.</source>
        <translation>还没有任何记录。</translation>
    </message>
    <message>
        <source>Session whose record is shown</source>
        <translation>显示其记录的会话</translation>
    </message>
    <message>
        <source>Only one request is shown.</source>
        <translation>只显示一个请求。</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Only this request</source>
        <translation>只看此请求</translation>
    </message>
    <message>
        <source>All sessions</source>
        <translation>所有会话</translation>
    </message>
</context>
<context>
    <name>LedgerWords</name>
    <message>
        <source>You were asked</source>
        <translation>已询问您</translation>
    </message>
    <message>
        <source>Begun</source>
        <translation>已开始</translation>
    </message>
    <message>
        <source>Carried out</source>
        <translation>已执行</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>you</source>
        <translation>您</translation>
    </message>
    <message>
        <source>in this window</source>
        <translation>在此窗口中</translation>
    </message>
    <message>
        <source>by a rule</source>
        <translation>由规则</translation>
    </message>
    <message>
        <source>over HTTP</source>
        <translation>通过 HTTP</translation>
    </message>
    <message>
        <source>on the command line</source>
        <translation>在命令行中</translation>
    </message>
    <message>
        <source>through %1</source>
        <translation>通过 %1</translation>
    </message>
    <message>
        <source>Allowed without asking</source>
        <translation>未询问即允许</translation>
    </message>
    <message>
        <source>Refused without asking</source>
        <translation>未询问即拒绝</translation>
    </message>
    <message>
        <source>To be asked about</source>
        <translation>需要询问</translation>
    </message>
    <message>
        <source>Looked at the rules</source>
        <translation>已查看规则</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>已批准</translation>
    </message>
    <message>
        <source>Declined</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>No longer open</source>
        <translation>不再等待</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>结果未知</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Rule made</source>
        <translation>已建立规则</translation>
    </message>
    <message>
        <source>Rule revoked</source>
        <translation>已撤销规则</translation>
    </message>
    <message>
        <source>End of a rule changed</source>
        <translation>规则的期限已更改</translation>
    </message>
    <message>
        <source>Rule used</source>
        <translation>已使用规则</translation>
    </message>
    <message>
        <source>Tools read</source>
        <translation>已读取工具</translation>
    </message>
    <message>
        <source>Agent shut out</source>
        <translation>代理被拒之门外</translation>
    </message>
    <message>
        <source>Server started</source>
        <translation>服务器已启动</translation>
    </message>
    <message>
        <source>Server stopped</source>
        <translation>服务器已停止</translation>
    </message>
    <message>
        <source>Held back: too many calls</source>
        <translation>已暂缓：调用过多</translation>
    </message>
    <message>
        <source>Other arguments than asked for</source>
        <translation>参数与请求的不同</translation>
    </message>
    <message>
        <source>An entry of the kind “%1”</source>
        <translation>“%1”类型的条目</translation>
    </message>
</context>
<context>
    <name>Links</name>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>An agent wrote this link. Open it?</source>
        <translation>此链接由代理写入。要打开吗？</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>ListPage</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Show older</source>
        <translation>显示更早的</translation>
    </message>
</context>
<context>
    <name>MenuWords</name>
    <message numerus="yes">
        <source>Copy %n message(s)</source>
        <translation>
            <numerusform>复制 %n 条消息</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageQueue</name>
    <message>
        <source>%1 of %2 queued</source>
        <translation>已排队 %1/%2</translation>
    </message>
    <message>
        <source>Send by itself</source>
        <translation>自动发送</translation>
    </message>
    <message>
        <source>Queued messages are sent when the agent is free.</source>
        <translation>代理空闲时会发送排队的消息。</translation>
    </message>
</context>
<context>
    <name>MigrationPage</name>
    <message>
        <source>Information</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>The store must be brought up to date</source>
        <translation>需要更新存储</translation>
    </message>
    <message>
        <source>What will be done</source>
        <translation>将执行的步骤</translation>
    </message>
    <message>
        <source>1. Make a backup of the database first, for example with:</source>
        <translation>1. 请先备份数据库，例如运行：</translation>
    </message>
    <message>
        <source>2. Then bring it up to date. This may take a while; it can be interrupted.</source>
        <translation>2. 然后进行更新。这可能需要一段时间，可以中断。</translation>
    </message>
    <message>
        <source>Bring up to date</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>NewSessionPage</name>
    <message>
        <source>Folder of the project</source>
        <translation>项目的文件夹</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>It is not known whether this was started. Start tries again and makes one conversation.</source>
        <translation>不知道是否已启动。按“开始”会重试，且只建立一个会话。</translation>
    </message>
    <message>
        <source>New session</source>
        <translation>新会话</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation>开始时使用</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folder the agent works in</source>
        <translation>代理工作的文件夹</translation>
    </message>
    <message>
        <source>The project&apos;s folder</source>
        <translation>项目的文件夹</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>第一条消息</translation>
    </message>
    <message>
        <source>What is to be done? (optional)</source>
        <translation>要做什么？（可选）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭通知</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>%1 asks in %2</source>
        <translation>%1 在 %2 中提问</translation>
    </message>
    <message>
        <source>%1 needs your permission in %2</source>
        <translation>%1 在 %2 中需要你的许可</translation>
    </message>
    <message>
        <source>An agent</source>
        <translation>某个代理</translation>
    </message>
</context>
<context>
    <name>OverlayFooter</name>
    <message>
        <source>{count} of {limit} characters</source>
        <translation>{count} / {limit} 个字符</translation>
    </message>
    <message>
        <source>Skip and tell agent…</source>
        <translation>跳过并告知代理…</translation>
    </message>
    <message>
        <source>Close as withdrawn…</source>
        <translation>撤回并关闭…</translation>
    </message>
    <message>
        <source>Skip…</source>
        <translation>跳过…</translation>
    </message>
    <message>
        <source>Close question…</source>
        <translation>关闭问题…</translation>
    </message>
    <message>
        <source>The agent is told, once it calls again, that you chose not to answer, and why if you say it. The question is then skipped.</source>
        <translation>代理再次调用时会得知您选择不回答，以及您填写的理由。问题随后标为已跳过。</translation>
    </message>
    <message>
        <source>The agent is told at once that you chose not to answer, and why if you say it. The question is then skipped.</source>
        <translation>代理会立即得知您选择不回答，以及您填写的理由。问题随后标为已跳过。</translation>
    </message>
    <message>
        <source>The agent is sent nothing. Should it call again, it only hears that you withdrew the question, which is then closed without an answer.</source>
        <translation>不会向代理发送任何内容。如果它再次调用，只会得知您已撤回问题；问题随即在没有回答的情况下关闭。</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>Submit</source>
        <translation>提交</translation>
    </message>
    <message>
        <source>Review and submit</source>
        <translation>检查并提交</translation>
    </message>
</context>
<context>
    <name>OverlayHeader</name>
    <message>
        <source>An agent</source>
        <translation>某个代理</translation>
    </message>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>还有 %n 个在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>This question can no longer be answered.</source>
        <translation>此问题已不能回答。</translation>
    </message>
    <message>
        <source>The agent is waiting for your answer. There is no time limit.</source>
        <translation>代理正在等待您的回答。没有时间限制。</translation>
    </message>
    <message>
        <source>The agent stopped waiting; your answer will be handed over when it calls again.</source>
        <translation>代理已停止等待；它再次调用时，您的回答会交付给它。</translation>
    </message>
    <message>
        <source>No call waits right now; your answer will be handed over when the agent calls.</source>
        <translation>目前没有调用在等待；代理下次调用时，您的回答会交付给它。</translation>
    </message>
    <message>
        <source>It has asked this again; your answer here counts.</source>
        <translation>代理又问了一次；以您在这里的回答为准。</translation>
    </message>
    <message>
        <source>The question expires at %1 unless you begin an answer.</source>
        <translation>如果到 %1 还没有开始作答，此问题将按“未及时回答”关闭。</translation>
    </message>
    <message>
        <source>The agent stopped waiting; it gets your answer when it calls again, or as its next prompt.</source>
        <translation>代理已停止等待；它再次调用时会得到您的回答，否则作为它的下一条提示交付。</translation>
    </message>
    <message>
        <source>No call waits right now; the agent gets your answer when it calls, or as its next prompt.</source>
        <translation>目前没有调用在等待；代理调用时会得到您的回答，否则作为它的下一条提示交付。</translation>
    </message>
    <message>
        <source>The agent is waiting for your answer.</source>
        <translation>代理正在等待您的回答。</translation>
    </message>
    <message>
        <source>The agent waits until %1. It gets a later answer when it calls again, or as its next prompt.</source>
        <translation>代理会等到 %1。之后的回答在它再次调用时交付，否则作为它的下一条提示交付。</translation>
    </message>
    <message>
        <source>The agent waits until %1. An answer after that is kept until it calls again.</source>
        <translation>代理会等到 %1。之后的回答会保留，等它再次询问时交付。</translation>
    </message>
    <message>
        <source>Collapse the question</source>
        <translation>收起问题</translation>
    </message>
    <message>
        <source>Collapse (Esc)</source>
        <translation>收起 (Esc)</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>PageStack</name>
    <message>
        <source>Show the side pane</source>
        <translation>显示侧栏</translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n 个问题在等您</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PolicyWords</name>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation>询问我</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Only reads</source>
        <translation>只读取</translation>
    </message>
    <message>
        <source>Changes things</source>
        <translation>会更改内容</translation>
    </message>
    <message>
        <source>May destroy</source>
        <translation>可能造成破坏</translation>
    </message>
    <message>
        <source>Exactly this, by this agent in this folder</source>
        <translation>仅限此操作，且仅限此代理在此文件夹中</translation>
    </message>
    <message>
        <source>This tool, whatever it is given, by this agent in this folder</source>
        <translation>此工具（无论参数），仅限此代理在此文件夹中</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未启动</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Cannot be reached</source>
        <translation>无法连接</translation>
    </message>
    <message>
        <source>A program on this machine</source>
        <translation>本机上的程序</translation>
    </message>
    <message>
        <source>An address (HTTP)</source>
        <translation>一个地址 (HTTP)</translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Demo: %1</source>
        <translation>演示：%1</translation>
    </message>
    <message>
        <source>Kandesk goes on in the tray, so that agents can ask.</source>
        <translation>Kandesk 会在托盘中继续运行，以便代理提问。</translation>
    </message>
    <message>
        <source>Quit Kandesk, or only put its window away?</source>
        <translation>退出 Kandesk，还是只收起窗口？</translation>
    </message>
    <message>
        <source>Questions can be answered here only while it runs.</source>
        <translation>只有它在运行时，才能在这里回答问题。</translation>
    </message>
    <message>
        <source>Minimise</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>The demo did not start. Run “kandesk demo” in a terminal.</source>
        <translation>演示没有启动。请在终端中运行“kandesk demo”。</translation>
    </message>
    <message>
        <source>Kandesk %1 · store: %2 · listens on %3</source>
        <translation>Kandesk %1 · 存储：%2 · 监听 %3</translation>
    </message>
</context>
<context>
    <name>QuestionCard</name>
    <message>
        <source>Choose any number.</source>
        <translation>可选择任意多个。</translation>
    </message>
    <message>
        <source>May be left out.</source>
        <translation>可以不填。</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>QuestionTabs</name>
    <message>
        <source>{done} of {total} answered</source>
        <translation>已回答 {done} / {total}</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Question {number}</source>
        <translation>问题 {number}</translation>
    </message>
    <message>
        <source>{name}, answered</source>
        <translation>{name}，已回答</translation>
    </message>
</context>
<context>
    <name>QueuedRow</name>
    <message>
        <source>Send message %1 next</source>
        <translation>接下来发送第 %1 条消息</translation>
    </message>
    <message>
        <source>Edit message %1</source>
        <translation>编辑第 %1 条消息</translation>
    </message>
    <message>
        <source>Move message %1 up</source>
        <translation>上移第 %1 条消息</translation>
    </message>
    <message>
        <source>Move message %1 down</source>
        <translation>下移第 %1 条消息</translation>
    </message>
    <message>
        <source>Remove message %1</source>
        <translation>移除第 %1 条消息</translation>
    </message>
    <message>
        <source>Text of message %1</source>
        <translation>第 %1 条消息的文本</translation>
    </message>
    <message>
        <source>Keep change</source>
        <translation>保留更改</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>QuickChat</name>
    <message>
        <source>Quick Chat</source>
        <translation>快速聊天</translation>
    </message>
    <message>
        <source>Quick Chats that are kept</source>
        <translation>保留的快速聊天</translation>
    </message>
    <message>
        <source>New Quick Chat</source>
        <translation>新的快速聊天</translation>
    </message>
    <message>
        <source>Close Quick Chat</source>
        <translation>关闭快速聊天</translation>
    </message>
</context>
<context>
    <name>QuickChats</name>
    <message>
        <source>Pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>Kept until %1</source>
        <translation>保留至%1</translation>
    </message>
    <message>
        <source>Unpin: keep it seven more days</source>
        <translation>取消固定：再保留七天</translation>
    </message>
    <message>
        <source>Pin: keep it for good</source>
        <translation>固定：一直保留</translation>
    </message>
</context>
<context>
    <name>QuickStart</name>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>It is not known whether this was started. Start tries again.</source>
        <translation>不知道是否已启动。按“开始”会重试。</translation>
    </message>
    <message>
        <source>No agent was found on this machine.</source>
        <translation>在此电脑上未找到代理。</translation>
    </message>
    <message>
        <source>A conversation without a project. It is kept for seven days after its last use, or for good once you pin it.</source>
        <translation>不属于任何项目的会话。最后一次使用后保留七天；固定后一直保留。</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>First message</source>
        <translation>第一条消息</translation>
    </message>
    <message>
        <source>Ask an agent…</source>
        <translation>向代理提问…</translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>a rule decided it</source>
        <translation>由规则决定</translation>
    </message>
    <message>
        <source>the tool&apos;s own setting</source>
        <translation>工具自身的设置</translation>
    </message>
    <message>
        <source>what may destroy is always asked about</source>
        <translation>可能造成破坏的操作总会询问</translation>
    </message>
    <message>
        <source>the tool&apos;s definition has changed since</source>
        <translation>工具的定义此后已改变</translation>
    </message>
    <message>
        <source>it needs your approval</source>
        <translation>需要您的批准</translation>
    </message>
    <message>
        <source>a tool of Kandesk itself</source>
        <translation>Kandesk 自己的工具</translation>
    </message>
    <message>
        <source>it was declined</source>
        <translation>已被拒绝</translation>
    </message>
    <message>
        <source>nobody decided in time</source>
        <translation>无人及时决定</translation>
    </message>
    <message>
        <source>it no longer waited for a decision</source>
        <translation>它已不再等待决定</translation>
    </message>
    <message>
        <source>it was not approved</source>
        <translation>未获批准</translation>
    </message>
    <message>
        <source>it was decided already</source>
        <translation>已经决定过</translation>
    </message>
    <message>
        <source>it was carried out already</source>
        <translation>已经执行过</translation>
    </message>
    <message>
        <source>it was being carried out</source>
        <translation>正在执行</translation>
    </message>
    <message>
        <source>it was approved for another turn</source>
        <translation>批准的是另一轮</translation>
    </message>
    <message>
        <source>it belongs to another card</source>
        <translation>它属于另一张卡片</translation>
    </message>
    <message>
        <source>it was approved for another tool</source>
        <translation>批准的是另一个工具</translation>
    </message>
    <message>
        <source>its task was closed</source>
        <translation>其任务已关闭</translation>
    </message>
    <message>
        <source>what was asked for could no longer be verified</source>
        <translation>所请求的内容已无法验证</translation>
    </message>
    <message>
        <source>it was called with other arguments than approved</source>
        <translation>调用时的参数与批准的不同</translation>
    </message>
    <message>
        <source>the agent did something else than it had asked for</source>
        <translation>代理所做的与其请求的不同</translation>
    </message>
    <message>
        <source>its arguments could not be read</source>
        <translation>无法读取其参数</translation>
    </message>
    <message>
        <source>the tool is not the one that was approved</source>
        <translation>工具不是所批准的那一个</translation>
    </message>
    <message>
        <source>a newer request replaced it</source>
        <translation>已被更新的请求取代</translation>
    </message>
    <message>
        <source>there was no conversation to ask you in</source>
        <translation>没有可用来询问您的会话</translation>
    </message>
    <message>
        <source>the key that protects approvals is missing</source>
        <translation>缺少保护批准的密钥</translation>
    </message>
    <message>
        <source>only a human may decide it</source>
        <translation>只有人可以决定</translation>
    </message>
    <message>
        <source>the agent offered no fitting answer</source>
        <translation>代理没有提供合适的选项</translation>
    </message>
    <message>
        <source>the tool took too long</source>
        <translation>工具耗时过长</translation>
    </message>
    <message>
        <source>the tool failed</source>
        <translation>工具失败</translation>
    </message>
    <message>
        <source>what came of it is not known; look for yourself before you allow it again</source>
        <translation>结果未知；再次允许之前请自行查看</translation>
    </message>
    <message>
        <source>the tool&apos;s server did not answer</source>
        <translation>工具的服务器没有响应</translation>
    </message>
    <message>
        <source>the tool&apos;s result could not be read</source>
        <translation>无法读取工具的结果</translation>
    </message>
    <message>
        <source>the tool&apos;s result was too large</source>
        <translation>工具的结果过大</translation>
    </message>
    <message>
        <source>the tool asked a question nobody could be shown</source>
        <translation>工具提出的问题无法呈现给任何人</translation>
    </message>
    <message>
        <source>the result was held back: it tried to give the agent orders</source>
        <translation>结果被扣留：它试图向代理下达命令</translation>
    </message>
    <message>
        <source>the agent had ended</source>
        <translation>代理已结束</translation>
    </message>
    <message>
        <source>it could not be put before you</source>
        <translation>无法呈现给您</translation>
    </message>
    <message>
        <source>the agent stopped waiting before anybody decided</source>
        <translation>在有人决定之前，代理已停止等待</translation>
    </message>
    <message>
        <source>the agent asked again</source>
        <translation>代理又询问了一次</translation>
    </message>
    <message>
        <source>Kandesk ended before anybody decided</source>
        <translation>在有人决定之前，Kandesk 已结束</translation>
    </message>
    <message>
        <source>this agent does not tell what came of it</source>
        <translation>此代理不会告知结果如何</translation>
    </message>
    <message>
        <source>its server was removed</source>
        <translation>其服务器已被移除</translation>
    </message>
    <message>
        <source>what a rule says of it can no longer be read</source>
        <translation>针对它的规则已无法读取</translation>
    </message>
    <message>
        <source>its record cannot be read here</source>
        <translation>其记录在此无法读取</translation>
    </message>
    <message>
        <source>you stopped the agent</source>
        <translation>您停止了代理</translation>
    </message>
    <message>
        <source>the agent was told</source>
        <translation>已告知代理</translation>
    </message>
    <message>
        <source>the agent took it back</source>
        <translation>代理已收回请求</translation>
    </message>
    <message>
        <source>the code “%1”</source>
        <translation>代码“%1”</translation>
    </message>
</context>
<context>
    <name>ResultView</name>
    <message>
        <source>Hide the result</source>
        <translation>隐藏结果</translation>
    </message>
    <message>
        <source>Show the result</source>
        <translation>显示结果</translation>
    </message>
    <message>
        <source>Hide what it said</source>
        <translation>隐藏它的输出</translation>
    </message>
    <message>
        <source>Show what it said</source>
        <translation>显示它的输出</translation>
    </message>
    <message>
        <source>Written by the tool, not by Kandesk.</source>
        <translation>由工具所写，并非 Kandesk。</translation>
    </message>
    <message numerus="yes">
        <source>%n more character(s) are not shown.</source>
        <translation>
            <numerusform>还有 %n 个字符未显示。</numerusform>
        </translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>ReviewButtons</name>
    <message>
        <source>Decline</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>%1 remembers this itself and will not ask again. No rule is made here.</source>
        <translation>%1 会自己记住，不再询问；此处不会建立规则。</translation>
    </message>
    <message>
        <source>%1 (%2 remembers it)</source>
        <translation>%1（由 %2 记住）</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>批准</translation>
    </message>
    <message>
        <source>Approve this once</source>
        <translation>仅批准这一次</translation>
    </message>
    <message>
        <source>The agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>Always allow: %1</source>
        <translation>始终允许：%1</translation>
    </message>
    <message>
        <source>Allow for one day: %1</source>
        <translation>允许一天：%1</translation>
    </message>
    <message>
        <source>Other ways to decline</source>
        <translation>其他拒绝方式</translation>
    </message>
    <message>
        <source>Decline with a reason…</source>
        <translation>拒绝并说明原因…</translation>
    </message>
    <message>
        <source>Always decline: %1</source>
        <translation>始终拒绝：%1</translation>
    </message>
    <message>
        <source>Approve this once, and run it</source>
        <translation>批准这一次并运行</translation>
    </message>
    <message>
        <source>Always allow…</source>
        <translation>始终允许…</translation>
    </message>
    <message>
        <source>The agent calls it: %1</source>
        <translation>代理的说法：%1</translation>
    </message>
    <message>
        <source>Approve &amp;&amp; run</source>
        <translation>批准并运行</translation>
    </message>
</context>
<context>
    <name>ReviewCardWidget</name>
    <message>
        <source>Permission for %1 in %2</source>
        <translation>%1 在 %2 中请求许可</translation>
    </message>
    <message>
        <source>an agent</source>
        <translation>一个代理</translation>
    </message>
    <message>
        <source>Show all of it</source>
        <translation>显示全部内容</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Ask the agent to try again</source>
        <translation>请代理再试一次</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>What is to be allowed</source>
        <translation>要批准的内容</translation>
    </message>
</context>
<context>
    <name>ReviewHeader</name>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>还有 %n 个在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>位置：%1</translation>
    </message>
    <message>
        <source>The agent says: %1</source>
        <translation>代理说明：%1</translation>
    </message>
    <message>
        <source>Kandesk runs it on the server %1</source>
        <translation>由 Kandesk 在服务器 %1 上运行</translation>
    </message>
</context>
<context>
    <name>ReviewPage</name>
    <message>
        <source>Check your answers</source>
        <translation>检查您的回答</translation>
    </message>
    <message>
        <source>Not answered yet</source>
        <translation>尚未回答</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Change the answer to: {question}</source>
        <translation>更改回答：{question}</translation>
    </message>
</context>
<context>
    <name>ReviewStatusText</name>
    <message>
        <source>It is longer than shown. Show all of it and read to its end first.</source>
        <translation>内容比显示的更长。请先显示全部内容并读到末尾。</translation>
    </message>
    <message>
        <source>Read to its end before you allow it.</source>
        <translation>批准之前请先读到末尾。</translation>
    </message>
    <message>
        <source>This cannot be remembered. Nothing was decided.</source>
        <translation>这无法被记住。未做出任何决定。</translation>
    </message>
    <message>
        <source>It is not known whether this was taken. Trying again is safe.</source>
        <translation>尚不知道是否已生效。重试是安全的。</translation>
    </message>
</context>
<context>
    <name>ReviewText</name>
    <message numerus="yes">
        <source>⋮ %n blank line(s)</source>
        <translation>
            <numerusform>⋮ %n 个空行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>⟨%n space(s)⟩</source>
        <translation>
            <numerusform>⟨%n 个空格⟩</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %n more character(s)</source>
        <translation>
            <numerusform>… 还有 %n 个字符</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReviewWords</name>
    <message>
        <source>An agent</source>
        <translation>一个代理</translation>
    </message>
    <message>
        <source>%1 wants to use a tool of %2</source>
        <translation>%1 想使用 %2 的一个工具</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>等待你决定</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>已批准</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>Declined</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>结果未知</translation>
    </message>
    <message>
        <source>Approved · running…</source>
        <translation>已批准 · 正在运行…</translation>
    </message>
    <message>
        <source>Approved · this agent does not tell what came of it</source>
        <translation>已批准 · 此代理不会告知结果</translation>
    </message>
    <message>
        <source>by a rule</source>
        <translation>由规则</translation>
    </message>
    <message>
        <source>always declined from now on</source>
        <translation>今后始终拒绝</translation>
    </message>
    <message>
        <source>always allowed from now on</source>
        <translation>今后始终允许</translation>
    </message>
    <message>
        <source>other arguments than asked for</source>
        <translation>参数与请求的不同</translation>
    </message>
    <message>
        <source>expires within a minute</source>
        <translation>一分钟内过期</translation>
    </message>
    <message numerus="yes">
        <source>expires in %n minute(s)</source>
        <translation>
            <numerusform>%n 分钟后过期</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>expires in %n hour(s)</source>
        <translation>
            <numerusform>%n 小时后过期</numerusform>
        </translation>
    </message>
    <message>
        <source>You stopped the agent before this was begun. Nothing was run.</source>
        <translation>您在它开始之前停止了代理。什么也没有运行。</translation>
    </message>
    <message>
        <source>I did not decide in time, and nothing was run: %1

Please ask again.</source>
        <translation>我没有及时决定，什么也没有运行：%1

请再次询问。</translation>
    </message>
    <message>
        <source>I stopped you, and nothing was run: %1

Please ask again.</source>
        <translation>我停止了你，什么也没有运行：%1

请再次询问。</translation>
    </message>
    <message>
        <source>To be asked again, tell the agent where it runs to try once more.</source>
        <translation>若要再次被询问，请在代理运行的地方让它再试一次。</translation>
    </message>
    <message>
        <source>It was approved already. The agent has been told.</source>
        <translation>它已被批准，代理已得到通知。</translation>
    </message>
    <message>
        <source>It was approved, and carried out.</source>
        <translation>已批准并已执行。</translation>
    </message>
    <message>
        <source>It was declined already. Nothing was run.</source>
        <translation>它已被拒绝，没有运行任何东西。</translation>
    </message>
    <message>
        <source>The agent stopped waiting before anybody decided. Nothing was run.</source>
        <translation>在有人决定之前，代理就停止了等待。没有运行任何东西。</translation>
    </message>
    <message>
        <source>Nobody decided in time. Nothing was run.</source>
        <translation>无人及时决定。未执行任何操作。</translation>
    </message>
    <message>
        <source>It was approved, and failed.</source>
        <translation>已批准，但执行失败。</translation>
    </message>
    <message>
        <source>It was approved, and the agent ended before it told what came of it. Look for yourself before you allow it again.</source>
        <translation>它已被批准，但代理在告知结果之前就结束了。再次批准之前请自行检查。</translation>
    </message>
    <message>
        <source>It can no longer be decided here.</source>
        <translation>这里已无法再做决定。</translation>
    </message>
    <message>
        <source>%1 wants to run a command</source>
        <translation>%1 想运行一条命令</translation>
    </message>
    <message>
        <source>%1 wants to run something</source>
        <translation>%1 想运行某项操作</translation>
    </message>
    <message>
        <source>%1 wants to change a file</source>
        <translation>%1 想修改一个文件</translation>
    </message>
    <message>
        <source>%1 wants to delete a file</source>
        <translation>%1 想删除一个文件</translation>
    </message>
    <message>
        <source>%1 wants to move a file</source>
        <translation>%1 想移动一个文件</translation>
    </message>
    <message>
        <source>%1 wants to read a file</source>
        <translation>%1 想读取一个文件</translation>
    </message>
    <message>
        <source>%1 wants to search</source>
        <translation>%1 想进行搜索</translation>
    </message>
    <message>
        <source>%1 wants to fetch something from the network</source>
        <translation>%1 想从网络获取内容</translation>
    </message>
    <message>
        <source>%1 wants to work in another mode</source>
        <translation>%1 想切换到另一种模式</translation>
    </message>
    <message>
        <source>%1 wants to use a tool</source>
        <translation>%1 想使用一个工具</translation>
    </message>
</context>
<context>
    <name>RuleEnd</name>
    <message>
        <source>Let it end</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>When this rule ends</source>
        <translation>此规则何时结束</translation>
    </message>
    <message>
        <source>never; until you revoke it</source>
        <translation>永不；直到您撤销</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>one hour from now</source>
        <translation>一小时后</translation>
    </message>
    <message>
        <source>one day from now</source>
        <translation>一天后</translation>
    </message>
    <message>
        <source>one week from now</source>
        <translation>一周后</translation>
    </message>
</context>
<context>
    <name>RuleFacts</name>
    <message>
        <source>Allow %1</source>
        <translation>允许 %1</translation>
    </message>
    <message>
        <source>Refuse %1</source>
        <translation>拒绝 %1</translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>never used</source>
        <translation>从未使用</translation>
    </message>
    <message numerus="yes">
        <source>used %n time(s)</source>
        <translation>
            <numerusform>使用了 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>last %1</source>
        <translation>最近 %1</translation>
    </message>
    <message>
        <source>%1, with a verdict</source>
        <translation>%1，随一次决定</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>建立于</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>过期</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>never; until you revoke it</source>
        <translation>从不；直到您撤销它</translation>
    </message>
    <message>
        <source>Revoked %1</source>
        <translation>撤销于 %1</translation>
    </message>
</context>
<context>
    <name>RulesPage</name>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>What you allowed or declined for longer. A rule decides equal calls without asking you, and can be revoked here at any time.</source>
        <translation>您长期允许或拒绝的操作。规则会在不询问您的情况下决定相同的调用，并可随时在此撤销。</translation>
    </message>
    <message>
        <source>No rule yet. “Always allow…” on a request makes one, and it is listed here.</source>
        <translation>还没有规则。在请求上选择“始终允许…”会建立规则，并列在这里。</translation>
    </message>
    <message>
        <source>Revoke…</source>
        <translation>撤销…</translation>
    </message>
    <message>
        <source>Revoke this rule? Such calls are asked about again. It cannot be restored; what it refused stays refused.</source>
        <translation>撤销此规则吗？此类调用将重新询问。规则无法恢复；它已拒绝的操作仍为拒绝。</translation>
    </message>
    <message>
        <source>Revoke this rule? Such calls are asked about again. It cannot be restored; what it allowed stays done.</source>
        <translation>撤销此规则吗？此类调用将重新询问。规则无法恢复；它已允许的操作保持不变。</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>SecondStep</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
</context>
<context>
    <name>SecretRows</name>
    <message>
        <source>Add a secret</source>
        <translation>添加密钥</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of the secret</source>
        <translation>密钥的名称</translation>
    </message>
    <message>
        <source>Value of the secret, never shown again</source>
        <translation>密钥的值，不会再次显示</translation>
    </message>
    <message>
        <source>Kept. Type to replace it</source>
        <translation>已保存。输入以替换</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Forget this secret</source>
        <translation>忘记此密钥</translation>
    </message>
</context>
<context>
    <name>ServerFacts</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>It says</source>
        <translation>它说</translation>
    </message>
    <message>
        <source>Reached as</source>
        <translation>连接方式</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Secrets</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n 个工具</numerusform>
        </translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>风险</translation>
    </message>
    <message>
        <source>Agents call it</source>
        <translation>代理对它的称呼</translation>
    </message>
    <message>
        <source>The server says</source>
        <translation>服务器的说明</translation>
    </message>
    <message>
        <source>It takes</source>
        <translation>它的参数</translation>
    </message>
    <message>
        <source>Another server has this name.</source>
        <translation>另一个服务器已使用此名称。</translation>
    </message>
    <message>
        <source>Use a-z, 0-9, - and single _, beginning and ending with a letter or digit.</source>
        <translation>请使用 a-z、0-9、- 和单个 _，并以字母或数字开头和结尾。</translation>
    </message>
    <message>
        <source>This name cannot be used.</source>
        <translation>无法使用此名称。</translation>
    </message>
    <message>
        <source>This command cannot be run.</source>
        <translation>无法运行此命令。</translation>
    </message>
    <message>
        <source>An address begins with http:// or https:// and holds no password.</source>
        <translation>地址以 http:// 或 https:// 开头，且不含密码。</translation>
    </message>
    <message>
        <source>This folder cannot be used.</source>
        <translation>无法使用此文件夹。</translation>
    </message>
    <message>
        <source>A line is NAME=value, with a name that can be used.</source>
        <translation>每行为 NAME=value，且名称须可用。</translation>
    </message>
    <message>
        <source>A secret has a name of its own and is one line.</source>
        <translation>每个密钥有自己的名称，且只占一行。</translation>
    </message>
    <message>
        <source>Asks: its definition has changed</source>
        <translation>询问：其定义已改变</translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>A quotation mark is missing its other one.</source>
        <translation>引号没有成对。</translation>
    </message>
    <message>
        <source>Each line is NAME=value.</source>
        <translation>每行为 NAME=value。</translation>
    </message>
    <message>
        <source>A new secret needs its value.</source>
        <translation>新的密钥需要填写其值。</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Add a tool server</source>
        <translation>添加工具服务器</translation>
    </message>
    <message>
        <source>Change a tool server</source>
        <translation>更改工具服务器</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>请求头</translation>
    </message>
    <message>
        <source>Environment variables</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>Secret headers</source>
        <translation>保密的请求头</translation>
    </message>
    <message>
        <source>Secret environment variables</source>
        <translation>保密的环境变量</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>How it is reached</source>
        <translation>连接方式</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Folder it runs in (optional)</source>
        <translation>运行所在的文件夹（可选）</translation>
    </message>
    <message>
        <source>NAME=value, one on each line (optional)</source>
        <translation>NAME=value，每行一个（可选）</translation>
    </message>
    <message>
        <source>Agents may use its tools</source>
        <translation>代理可以使用它的工具</translation>
    </message>
    <message>
        <source>Secrets are kept in the keyring of this machine and never shown again. New tools ask you before each call.</source>
        <translation>密钥保存在本机的密钥环中，不会再次显示。新工具每次调用前都会询问您。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message>
        <source>Tool servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>MCP servers whose tools agents reach through Kandesk. Kandesk runs each call itself, as you say here: allow it, ask you, or deny it. Agents you start see the tools at once; one that runs already may see new ones only once you start it again.</source>
        <translation>代理通过 Kandesk 使用其工具的 MCP 服务器。每次调用都由 Kandesk 按您在此的设置自行运行：允许、询问您或拒绝。您启动的代理立即可见这些工具；已在运行的代理可能要在您重新启动它之后才能看到新的工具。</translation>
    </message>
    <message>
        <source>No server yet. Add one, and its tools appear here and in agents you start then.</source>
        <translation>还没有服务器。添加一个，其工具就会出现在这里，以及您此后启动的代理中。</translation>
    </message>
    <message>
        <source>Tool servers and their tools</source>
        <translation>工具服务器及其工具</translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation>添加服务器…</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Read its tools again</source>
        <translation>重新读取其工具</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Remove %1? Its open requests are cancelled and its secrets forgotten. What it did stays in the record.</source>
        <translation>移除 %1 吗？它未决的请求会被取消，其密钥会被忘记。它做过的事仍保留在记录中。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
</context>
<context>
    <name>SessionListModel</name>
    <message>
        <source>Quick Chats</source>
        <translation>快速聊天</translation>
    </message>
    <message>
        <source>Project %1</source>
        <translation>项目 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) for you</source>
        <translation>
            <numerusform>%n 个问题等您回答</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) for you</source>
        <translation>
            <numerusform>有 %n 个许可等待你决定</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n answer(s) not collected</source>
        <translation>
            <numerusform>%n 个回答尚未取走</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionSidebar</name>
    <message>
        <source>Side pane</source>
        <translation>侧栏</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Closed questions and permissions</source>
        <translation>已关闭的问题和许可请求</translation>
    </message>
    <message>
        <source>A session appears here when an agent asks, or when you start one.</source>
        <translation>当代理提问或您开始会话时，会话会显示在这里。</translation>
    </message>
    <message>
        <source>New session</source>
        <translation>新会话</translation>
    </message>
    <message>
        <source>Quick Chat</source>
        <translation>快速聊天</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
</context>
<context>
    <name>StartingPage</name>
    <message>
        <source>Stopping. What is done stays done.</source>
        <translation>正在停止。已完成的部分会保留。</translation>
    </message>
    <message>
        <source>Nothing is lost if this is interrupted: the next start goes on from here.</source>
        <translation>中断不会丢失任何内容：下次启动会从这里继续。</translation>
    </message>
    <message>
        <source>There is no room on the disk for a copy of the store: it goes on without one.</source>
        <translation>磁盘空间不足，无法备份存储：将在没有备份的情况下继续。</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
</context>
<context>
    <name>StatusBanner</name>
    <message>
        <source>Send as new message</source>
        <translation>作为新消息发送</translation>
    </message>
    <message>
        <source>The agent gets your answer as a new message</source>
        <translation>代理会以新消息的形式收到您的回答</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Close this question</source>
        <translation>关闭此问题</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>StatusTexts</name>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>No reply yet: it is not known whether this was taken. Your answer is kept, and trying again is safe.</source>
        <translation>尚无回复：不确定是否已被接收。您的回答已保留，重试是安全的。</translation>
    </message>
    <message>
        <source>The store was away. Nothing was sent or changed; what you put in is kept.</source>
        <translation>存储曾暂时不可用。没有发送或更改任何内容；您输入的内容已保留。</translation>
    </message>
    <message>
        <source>Saved, delivery not confirmed. Nothing is lost, and it goes on by itself.</source>
        <translation>已保存，未确认送达。没有丢失任何内容，后续会自动继续。</translation>
    </message>
    <message>
        <source>The earlier answer is no longer stored: its call has collected it, or it was discarded. Nothing was sent now.</source>
        <translation>先前的回答已不再保存：原来的调用已取走它，或它已被丢弃。这次没有发送任何内容。</translation>
    </message>
    <message>
        <source>Sending your answer as a new message…</source>
        <translation>正在将您的回答作为新消息发送…</translation>
    </message>
    <message>
        <source>Sent as a new message. The question itself stays unanswered.</source>
        <translation>已作为新消息发送。问题本身仍为未回答。</translation>
    </message>
    <message>
        <source>Queued as a new message. It is sent when the agent is free.</source>
        <translation>已作为新消息排队。代理空闲时发送。</translation>
    </message>
    <message>
        <source>Your answer was not sent. It is kept.</source>
        <translation>您的回答没有发送。它已保留。</translation>
    </message>
    <message>
        <source>This session takes no message now. Your answer was not sent; it is kept.</source>
        <translation>此会话现在不接收消息。您的回答没有发送；它已保留。</translation>
    </message>
    <message>
        <source>It is not known whether your answer was sent as a new message. It is kept, and trying again sends it once.</source>
        <translation>不知道您的回答是否已作为新消息发送。它已保留，重试只会发送一次。</translation>
    </message>
    <message>
        <source>An earlier answer to this question was sent as a message. This one was not.</source>
        <translation>对此问题的较早回答已作为消息发送。这一个没有发送。</translation>
    </message>
    <message>
        <source>Your answer was sent again as a new message.</source>
        <translation>您的回答已作为新消息再次发送。</translation>
    </message>
    <message>
        <source>Saved; it is not confirmed that the agent got your answer. If that stays so, you can send it again from the question in the conversation.</source>
        <translation>已保存；尚未确认代理已收到您的回答。如果一直如此，可以在对话中的该问题处再次发送。</translation>
    </message>
    <message>
        <source>{what}. The question is closed; your answer was not sent.</source>
        <translation>{what}。问题已关闭；您的回答没有发送。</translation>
    </message>
    <message>
        <source>{what}. The question is closed.</source>
        <translation>{what}。问题已关闭。</translation>
    </message>
    <message>
        <source>This question was skipped elsewhere.</source>
        <translation>此问题已在别处跳过。</translation>
    </message>
    <message>
        <source>This question was answered elsewhere.</source>
        <translation>此问题已在别处回答。</translation>
    </message>
    <message>
        <source>Answered elsewhere: {answer}</source>
        <translation>已在别处回答：{answer}</translation>
    </message>
    <message>
        <source>Skipped. The agent did not wait, so nothing was sent to it.</source>
        <translation>已跳过。代理没有等待，因此没有向它发送任何内容。</translation>
    </message>
    <message>
        <source>Skipped. The agent has been told.</source>
        <translation>已跳过。代理已得知。</translation>
    </message>
    <message>
        <source>Skipped. The agent will be told when it calls again.</source>
        <translation>已跳过。代理再次调用时会得知。</translation>
    </message>
    <message>
        <source>Delivered. The agent has your answer.</source>
        <translation>已送达。代理已收到您的回答。</translation>
    </message>
    <message>
        <source>Saved. The agent gets your answer when it calls again, or as its next prompt when its turn ends.</source>
        <translation>已保存。代理再次调用时会得到您的回答，否则在它的本轮结束时作为下一条提示交付。</translation>
    </message>
    <message>
        <source>Saved. The agent gets your answer when it calls again.</source>
        <translation>已保存。代理再次调用时会得到您的回答。</translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>Preparing the store</source>
        <translation>正在准备存储</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Connecting to the database server</source>
        <translation>正在连接数据库服务器</translation>
    </message>
    <message>
        <source>Copying the store before it changes</source>
        <translation>正在更改前复制存储</translation>
    </message>
    <message>
        <source>There is no room for a copy of the store: going on without one</source>
        <translation>没有空间备份存储：将在没有备份的情况下继续</translation>
    </message>
    <message>
        <source>Making room for new kinds of things</source>
        <translation>正在为新内容建立数据表</translation>
    </message>
    <message>
        <source>Adding new fields</source>
        <translation>正在添加新字段</translation>
    </message>
    <message>
        <source>Checking every message</source>
        <translation>正在检查每条消息</translation>
    </message>
    <message>
        <source>Numbering the messages</source>
        <translation>正在为消息编号</translation>
    </message>
    <message>
        <source>Building an index: answers stay fast</source>
        <translation>正在建立索引：让回答保持快速</translation>
    </message>
    <message>
        <source>The store is ready</source>
        <translation>存储已就绪</translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Trying again…</source>
        <translation>正在重试…</translation>
    </message>
    <message>
        <source>Kandesk cannot reach its store</source>
        <translation>Kandesk 无法访问其存储</translation>
    </message>
    <message>
        <source>Another Kandesk uses this store</source>
        <translation>另一个 Kandesk 正在使用此存储</translation>
    </message>
    <message>
        <source>Kandesk cannot use its settings</source>
        <translation>Kandesk 无法使用其设置</translation>
    </message>
    <message>
        <source>Kandesk cannot open its store</source>
        <translation>Kandesk 无法打开其存储</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>StoredAnswerNotice</name>
    <message>
        <source>You answered this {age} for an earlier call. Nothing is sent until you say so.</source>
        <translation>您在{age}为先前的调用回答过此问题。在您确认之前不会发送任何内容。</translation>
    </message>
    <message>
        <source>Hand over that answer</source>
        <translation>交付那个回答</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Discard the earlier answer</source>
        <translation>丢弃先前的回答</translation>
    </message>
</context>
<context>
    <name>ToolPolicyBox</name>
    <message>
        <source>Agents&apos; calls of it</source>
        <translation>代理的调用</translation>
    </message>
    <message>
        <source>What happens when an agent calls this tool</source>
        <translation>代理调用此工具时会怎样</translation>
    </message>
    <message>
        <source>The server defines this tool otherwise than when you set this. It asks until you have read the new definition and confirmed it.</source>
        <translation>服务器对此工具的定义与您设置时不同。在您阅读并确认新定义之前，它会一直询问。</translation>
    </message>
    <message>
        <source>What may destroy is asked about every time, or denied.</source>
        <translation>可能造成破坏的操作每次都会询问，或被拒绝。</translation>
    </message>
    <message>
        <source>Keep “%1” for the new definition</source>
        <translation>对新定义保留“%1”</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>正在思考</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>To-do list</source>
        <translation>待办清单</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Permission</source>
        <translation>许可请求</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>A row of the kind “%1”</source>
        <translation>类型为“%1”的行</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>显示更多</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show what stands before</source>
        <translation>显示前面的内容</translation>
    </message>
    <message>
        <source>Answer as new message</source>
        <translation>作为新消息回答</translation>
    </message>
    <message>
        <source>Send again as new message</source>
        <translation>作为新消息再次发送</translation>
    </message>
    <message>
        <source>Question %1 of %2</source>
        <translation>第 %1 个问题，共 %2 个</translation>
    </message>
    <message>
        <source>In %1</source>
        <translation>位于 %1</translation>
    </message>
    <message>
        <source>The agent then told of other arguments than it had asked for.</source>
        <translation>之后代理给出的参数与它请求时的不同。</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>What its program wrote last</source>
        <translation>该程序最后的输出</translation>
    </message>
    <message>
        <source>Decided %1</source>
        <translation>决定方式：%1</translation>
    </message>
    <message>
        <source>Result, written by the tool and not checked by anybody:</source>
        <translation>结果，由工具写出，未经任何人检查：</translation>
    </message>
    <message>
        <source>%n more character(s) are not shown.</source>
        <translation>还有 %n 个字符未显示。</translation>
    </message>
    <message>
        <source>What came with it</source>
        <translation>附带的数据</translation>
    </message>
    <message>
        <source>Close the row</source>
        <translation>收起此行</translation>
    </message>
    <message>
        <source>Open the row</source>
        <translation>展开此行</translation>
    </message>
    <message>
        <source>A part was too long to be kept and is not shown.</source>
        <translation>有一部分过长，未保存，因此不显示。</translation>
    </message>
    <message>
        <source>Nothing changed in it.</source>
        <translation>其中没有更改。</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>显示更少</translation>
    </message>
    <message>
        <source>Given to the tool</source>
        <translation>传给工具的内容</translation>
    </message>
    <message>
        <source>Error output</source>
        <translation>错误输出</translation>
    </message>
    <message>
        <source>Not sent: taken back</source>
        <translation>未发送：已取回</translation>
    </message>
    <message>
        <source>Not known whether the agent has it</source>
        <translation>不确定代理是否已收到</translation>
    </message>
    <message>
        <source>The agent stopped: it has reached its limit of tokens.</source>
        <translation>代理已停止：达到了它的词元上限。</translation>
    </message>
    <message>
        <source>The agent stopped: it has made as many requests as it may.</source>
        <translation>代理已停止：达到了它允许的请求次数。</translation>
    </message>
    <message>
        <source>The agent refused to go on.</source>
        <translation>代理拒绝继续。</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>The agent stopped: %1</source>
        <translation>代理已停止：%1</translation>
    </message>
    <message>
        <source>The agent ended unexpectedly. Resuming starts it again.</source>
        <translation>代理意外结束。恢复会重新启动它。</translation>
    </message>
    <message>
        <source>Interrupted: the desk ended while the agent worked.</source>
        <translation>已中断：代理工作时工作台结束了。</translation>
    </message>
    <message>
        <source>Interrupted: the desk ended while the agent waited for you.</source>
        <translation>已中断：代理等待您时工作台结束了。</translation>
    </message>
    <message>
        <source>The agent answered with an error: %1</source>
        <translation>代理返回了错误：%1</translation>
    </message>
    <message>
        <source>A process of the last run was still there and was ended.</source>
        <translation>上次运行遗留的进程仍在，已将其结束。</translation>
    </message>
    <message>
        <source>The desk ended while this was sent. Whether the agent has it is not known; it is not sent again by itself.</source>
        <translation>发送时工作台结束了。不知道代理是否已收到；不会自动重新发送。</translation>
    </message>
    <message>
        <source>It is not confirmed that the agent got your answer: nothing was heard from it afterwards. The question offers to send it again.</source>
        <translation>无法确认代理是否收到了您的回答：此后没有收到它的任何消息。可以在该问题处重新发送。</translation>
    </message>
    <message>
        <source>A form of the agent cannot be shown and was declined.</source>
        <translation>代理的一个表单无法显示，已拒绝。</translation>
    </message>
    <message>
        <source>The form of the agent does not take this answer; it is asked again.</source>
        <translation>代理的表单不接受这个答案；会再次询问。</translation>
    </message>
    <message>
        <source>The agent does not take a mode or an option that was chosen, and works with its own.</source>
        <translation>代理不接受所选的模式或选项，将按它自己的设置工作。</translation>
    </message>
</context>
<context>
    <name>TranscriptModel</name>
    <message>
        <source>Enter opens or closes it.</source>
        <translation>按 Enter 键展开或收起。</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Copy message</source>
        <translation>复制消息</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>对话记录</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n 个问题在等您</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) waiting for you</source>
        <translation>
            <numerusform>%n 个许可在等您</numerusform>
        </translation>
    </message>
    <message>
        <source>Open Kandesk</source>
        <translation>打开 Kandesk</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>TroubleBar</name>
    <message>
        <source>Your message was not sent; it waits until the agent runs.</source>
        <translation>您的消息尚未发送；它会等到代理运行时再发送。</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>显示详情</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>隐藏详情</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Stop agent</source>
        <translation>停止代理</translation>
    </message>
    <message>
        <source>Take message back</source>
        <translation>收回消息</translation>
    </message>
    <message>
        <source>Details of the trouble</source>
        <translation>问题详情</translation>
    </message>
</context>
<context>
    <name>UsageTexts</name>
    <message>
        <source>Context: %1 % of %2</source>
        <translation>上下文：%2 的 %1%</translation>
    </message>
    <message>
        <source>Context: %1</source>
        <translation>上下文：%1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个令牌</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Every question of your agents, in one place</source>
        <translation>代理的所有问题，汇聚一处</translation>
    </message>
    <message>
        <source>Coding agents stop and ask. Their questions wait here for you.</source>
        <translation>编程代理会停下来提问。它们的问题在这里等您。</translation>
    </message>
    <message>
        <source>Answer when you are ready. A question waits as long as it takes.</source>
        <translation>准备好了再回答。问题会一直等下去。</translation>
    </message>
    <message>
        <source>No answer is lost, given twice, or given by accident.</source>
        <translation>任何回答都不会丢失、重复，也不会误发。</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>试用演示</translation>
    </message>
    <message>
        <source>A built-in agent shows all that can wait here.</source>
        <translation>内置代理会演示所有会在这里等待的内容。</translation>
    </message>
    <message>
        <source>New session…</source>
        <translation>新会话…</translation>
    </message>
    <message>
        <source>Start an agent of this machine and talk to it here.</source>
        <translation>启动此电脑上的代理，并在这里与它对话。</translation>
    </message>
    <message>
        <source>Connect an agent</source>
        <translation>连接代理</translation>
    </message>
    <message>
        <source>Run this once in a terminal. It adds Kandesk to the agent&apos;s own settings.</source>
        <translation>在终端中运行一次此命令，即可把 Kandesk 加入代理自身的设置。</translation>
    </message>
    <message>
        <source>Any other agent: an MCP server with this command,</source>
        <translation>其他代理：用此命令作为 MCP 服务器，</translation>
    </message>
    <message>
        <source>or this address, with the token in %1:</source>
        <translation>或使用此地址，令牌在 %1 中：</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Waiting for you</source>
        <translation>等待您</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>已回答</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>Not answered in time</source>
        <translation>未及时回答</translation>
    </message>
    <message>
        <source>The agent moved on</source>
        <translation>代理已继续</translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation>已撤回</translation>
    </message>
    <message>
        <source>Withdrawn by you</source>
        <translation>已由您撤回</translation>
    </message>
    <message>
        <source>Withdrawn by the agent</source>
        <translation>已由代理撤回</translation>
    </message>
    <message>
        <source>Withdrawn: asked again</source>
        <translation>已撤回：重新提问</translation>
    </message>
    <message>
        <source>Withdrawn: the session ended</source>
        <translation>已撤回：会话已结束</translation>
    </message>
    <message>
        <source>being handed over</source>
        <translation>正在交付</translation>
    </message>
    <message>
        <source>delivered</source>
        <translation>已送达</translation>
    </message>
    <message>
        <source>saved, waiting for the agent</source>
        <translation>已保存，等待代理取走</translation>
    </message>
    <message>
        <source>discarded</source>
        <translation>已丢弃</translation>
    </message>
    <message>
        <source>replaced by a newer answer</source>
        <translation>已被更新的回答取代</translation>
    </message>
    <message>
        <source>saved, delivery not confirmed</source>
        <translation>已保存，未确认送达</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>工作中</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Could not start</source>
        <translation>未能启动</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Not running</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Ended unexpectedly</source>
        <translation>意外结束</translation>
    </message>
    <message>
        <source>Waiting for your permission</source>
        <translation>等待您的许可</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>无项目</translation>
    </message>
    <message>
        <source>Unnamed agent</source>
        <translation>未命名代理</translation>
    </message>
</context>
<context>
    <name>_Handle</name>
    <message>
        <source>Height of the question</source>
        <translation>问题区域高度</translation>
    </message>
</context>
</TS>
