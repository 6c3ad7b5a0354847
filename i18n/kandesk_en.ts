<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>Activity</name>
    <message>
        <source>Read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Think</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Subagent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits for permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Declined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other arguments than asked for</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentChoice</name>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command that speaks the agent protocol</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NAME=value program --option</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide agents that are not installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n agent(s) that can be installed…</source>
        <translation>
            <numerusform>%n agent that can be installed…</numerusform>
            <numerusform>%n agents that can be installed…</numerusform>
        </translation>
    </message>
    <message>
        <source>Not found on this machine. To install it:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentPickers</name>
    <message>
        <source>Mode of the agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>The program of %1 was not found. Install it, then resume.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder of this conversation is gone. Bring it back, then resume.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was started and does not answer. Nothing was sent to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was started for %1 does not speak the agent protocol.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants you to sign in. Do so in a terminal, then resume.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not continue the earlier conversation. Starting anew works, but it then remembers nothing of it; the rows here stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 works and has said nothing for long. It may go on; you decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was told to stop and goes on. Stopping the agent ends its process.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk ended while a message was being handed to %1. Whether it arrived is not known; it is not sent again by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This agent runs elsewhere: it can be answered here, not messaged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation was not started here: it can only be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is not running. Resume it to write to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sends now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not start. The conversation is kept; resuming tries again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ended unexpectedly. The conversation is kept; resuming starts it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sends now and starts the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will be queued: the agent is starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will be queued: the agent is working</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will be queued: the agent&apos;s question comes first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will be queued: the agent waits for your permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will be queued: messages that wait come first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This session has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued. It waits until you send it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued. It is sent when the agent is free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not possible now. Nothing was sent, and your text is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no longer here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was changed in the meantime. Look at it again, then repeat.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is too long: %1 characters at most. Nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message cannot be sent as it is. Nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This agent was not found on this machine. Nothing was started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This command cannot be read or run. Nothing was started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not a folder that can be used. Nothing was started.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Ages</name>
    <message>
        <source>just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) ago</source>
        <translation>
            <numerusform>%n minute ago</numerusform>
            <numerusform>%n minutes ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) ago</source>
        <translation>
            <numerusform>%n hour ago</numerusform>
            <numerusform>%n hours ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day(s) ago</source>
        <translation>
            <numerusform>%n day ago</numerusform>
            <numerusform>%n days ago</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerBox</name>
    <message>
        <source>That text is too long to paste. Nothing was inserted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That text holds characters that cannot be kept. Nothing was inserted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Too long by %n character(s).</source>
        <translation>
            <numerusform>Too long by %n character.</numerusform>
            <numerusform>Too long by %n characters.</numerusform>
        </translation>
    </message>
    <message>
        <source>This text is too long.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text cannot be sent as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept, but not sent while an option is chosen. Edit it to send it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your answer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add something in your own words…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or answer in your own words…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer in your own words</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AppMenu</name>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an agent…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Kandesk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n new</numerusform>
            <numerusform>%n new</numerusform>
        </translation>
    </message>
    <message>
        <source>To the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent asks and says appears here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClarificationOverlay</name>
    <message>
        <source>Choose it again or press Submit to send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question from {agent} in {project}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CollapsedBar</name>
    <message>
        <source>your answer is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n question(s)</source>
        <translation>
            <numerusform>%n question</numerusform>
            <numerusform>%n questions</numerusform>
        </translation>
    </message>
    <message>
        <source>Opens the question again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandList</name>
    <message numerus="yes">
        <source>%n command(s)</source>
        <translation>
            <numerusform>%n command</numerusform>
            <numerusform>%n commands</numerusform>
        </translation>
    </message>
    <message>
        <source>Commands of the agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ComposerBox</name>
    <message>
        <source>Message to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queue a message for %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop what the agent does now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ComposerHint</name>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That text holds characters that cannot be kept. Nothing was inserted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not known whether this was sent. Your text is kept; trying again is safe and sends it once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An earlier wording was sent; what stands here was not. Send makes it a message of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Confirm</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConfirmStrip</name>
    <message>
        <source>Reason (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason for skipping, optional</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this question as withdrawn by you? The agent is sent nothing; should it call again, it hears only that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close as withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip? The agent is told that you chose not to answer, with your reason.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This reason cannot be sent: it is too long or holds odd characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextBox</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show context</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CopyLine</name>
    <message>
        <source>Copy: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Counts</name>
    <message numerus="yes">
        <source>Show all %n line(s)</source>
        <translation>
            <numerusform>Show all %n line</numerusform>
            <numerusform>Show all %n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the last %n line(s) are shown</source>
        <translation>
            <numerusform>Only the last line is shown</numerusform>
            <numerusform>Only the last %n lines are shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the first %n line(s) are shown</source>
        <translation>
            <numerusform>Only the first line is shown</numerusform>
            <numerusform>Only the first %n lines are shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CoveredList</name>
    <message>
        <source>Decide these too</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The new rule would decline %n more that wait(s):</source>
        <translation>
            <numerusform>The new rule would decline %n more that waits:</numerusform>
            <numerusform>The new rule would decline %n more that wait:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Decline %n too</source>
        <translation>
            <numerusform>Decline %n too</numerusform>
            <numerusform>Decline %n too</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The new rule would allow %n more that wait(s):</source>
        <translation>
            <numerusform>The new rule would allow %n more that waits:</numerusform>
            <numerusform>The new rule would allow %n more that wait:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Approve %n too</source>
        <translation>
            <numerusform>Approve %n too</numerusform>
            <numerusform>Approve %n too</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave them open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong in Kandesk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers that were sent are safe in the store. You can go on; if things look odd, quit and start again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DeclineStrip</name>
    <message>
        <source>Why not? The agent is told this (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reason for declining, optional</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decline with this reason</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DeskViewModel</name>
    <message>
        <source>The store is away. What you type is kept here and saved when it is back.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>This does not fit the question. Nothing was sent; please correct it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text is too long. Nothing was sent; please shorten it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are too many entries. Nothing was sent; please remove some.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request had a part nobody knows. Nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no longer here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This question can no longer be answered. The agent has moved on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent has collected this answer in the meantime.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same request came twice with different content. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%{limit} messages wait in this conversation already. Send or remove one first; what you typed is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This did not work just now. Trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too many calls wait at the same time. Answer some and try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk is about to stop. Try again after it has started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store is busy. Nothing was changed; trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer could not be handed over. It is kept; trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent does not run or did not answer. Your text is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Kandesk uses this store: process %{pid} on %{host}, since %{since}. Close it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk is full. Nothing more can be saved until there is room.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store cannot be written. Nothing was changed. Check its permissions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store cannot be reached. Trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store lies on a network drive, where it is not safe. Move it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program listens on port %{port}. Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file %{path} is not safe from others. Make it yours alone, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A setting cannot be used: %{setting}. Nothing was changed. Correct it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system&apos;s keyring cannot be used, so no secret can be kept or read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store is damaged. Nothing was overwritten.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A newer Kandesk wrote this store. Update Kandesk to open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file belongs to another program. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store holds rows that cannot be read. Nothing was overwritten.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An older Kandesk wrote this store. Nothing is changed before you agree to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An index of the store is not the one expected. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryFacts</name>
    <message>
        <source>Permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Because</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Risk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Questions and permissions that are closed, newest first. To read only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in questions, answers and commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in the history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closed questions and permissions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show its record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is closed yet. What you answer or decide is kept here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InboxModel</name>
    <message>
        <source>Answered, not yet collected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>question from %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InboxView</name>
    <message>
        <source>question from %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>permission for %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close question</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Close %n question(s) without an answer?</source>
        <translation>
            <numerusform>Close %n question without an answer?</numerusform>
            <numerusform>Close %n questions without an answer?</numerusform>
        </translation>
    </message>
    <message>
        <source>The agent is told that the question was withdrawn by you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close without an answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Discard %n stored answer(s)?</source>
        <translation>
            <numerusform>Discard %n stored answer?</numerusform>
            <numerusform>Discard %n stored answers?</numerusform>
        </translation>
    </message>
    <message>
        <source>The agent can no longer collect it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) waiting for you</source>
        <translation>
            <numerusform>%n request waiting for you</numerusform>
            <numerusform>%n requests waiting for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n question waiting for you</numerusform>
            <numerusform>%n questions waiting for you</numerusform>
        </translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing waits for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Questions waiting for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close as withdrawn…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closes the question without an answer; the agent hears that you withdrew it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the stored answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop the stored answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LateAnswer</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LateAnswerForm</name>
    <message>
        <source>Choose an option or write an answer, then it can be sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Still to be answered: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer as a new message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent no longer waits for this answer. It gets what you put in here as a new message.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LateFooter</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sends nothing; what you have put in is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send as new message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LeavingWords</name>
    <message>
        <source>Not everything is saved. Quit anyway?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit Kandesk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you typed last cannot be saved now: the store does not take it. It is lost if you quit before the store is back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What agents said last cannot be saved now: the store does not take it. It is lost if you quit before the store is back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first message of a session that you have not started is kept nowhere. It is lost if you quit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) still wait. Quit anyway?</source>
        <translation>
            <numerusform>%n request still waits. Quit anyway?</numerusform>
            <numerusform>%n requests still wait. Quit anyway?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) still wait. Quit anyway?</source>
        <translation>
            <numerusform>%n question still waits. Quit anyway?</numerusform>
            <numerusform>%n questions still wait. Quit anyway?</numerusform>
        </translation>
    </message>
    <message>
        <source>Questions are kept, and are here again when Kandesk starts. Permissions that nobody has given are cancelled: the agents that ask for them end with Kandesk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They are kept, and are here again when Kandesk starts.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LedgerFacts</name>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LedgerPage</name>
    <message>
        <source>Record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every call agents asked for, how it was decided and what came of it. Lines are added and never changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is recorded yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session whose record is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only one request is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only this request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All sessions</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LedgerWords</name>
    <message>
        <source>You were asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Begun</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Carried out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in this window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by a rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over HTTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on the command line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>through %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed without asking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused without asking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To be asked about</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at the rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Declined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rule made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rule revoked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End of a rule changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rule used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent shut out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held back: too many calls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other arguments than asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An entry of the kind “%1”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Links</name>
    <message>
        <source>Open a link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An agent wrote this link. Open it?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ListPage</name>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show older</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MenuWords</name>
    <message numerus="yes">
        <source>Copy %n message(s)</source>
        <translation>
            <numerusform>Copy %n message</numerusform>
            <numerusform>Copy %n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageQueue</name>
    <message>
        <source>%1 of %2 queued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued messages are sent when the agent is free.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MigrationPage</name>
    <message>
        <source>Information</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store must be brought up to date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What will be done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1. Make a backup of the database first, for example with:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>2. Then bring it up to date. This may take a while; it can be interrupted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring up to date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NewSessionPage</name>
    <message>
        <source>Folder of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not known whether this was started. Start tries again and makes one conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder the agent works in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project&apos;s folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is to be done? (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Notice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>%1 asks in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 needs your permission in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverlayFooter</name>
    <message>
        <source>{count} of {limit} characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip and tell agent…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close as withdrawn…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close question…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is told, once it calls again, that you chose not to answer, and why if you say it. The question is then skipped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is told at once that you chose not to answer, and why if you say it. The question is then skipped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is sent nothing. Should it call again, it only hears that you withdrew the question, which is then closed without an answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Submit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review and submit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverlayHeader</name>
    <message>
        <source>An agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>%n more waiting</numerusform>
            <numerusform>%n more waiting</numerusform>
        </translation>
    </message>
    <message>
        <source>This question can no longer be answered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is waiting for your answer. There is no time limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped waiting; your answer will be handed over when it calls again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No call waits right now; your answer will be handed over when the agent calls.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has asked this again; your answer here counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The question expires at %1 unless you begin an answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped waiting; it gets your answer when it calls again, or as its next prompt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No call waits right now; the agent gets your answer when it calls, or as its next prompt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is waiting for your answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent waits until %1. It gets a later answer when it calls again, or as its next prompt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent waits until %1. An answer after that is kept until it calls again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collapse the question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collapse (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PageStack</name>
    <message>
        <source>Show the side pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n question waiting for you</numerusform>
            <numerusform>%n questions waiting for you</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PolicyWords</name>
    <message>
        <source>Allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deny</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes things</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May destroy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exactly this, by this agent in this folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This tool, whatever it is given, by this agent in this folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot be reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A program on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address (HTTP)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Demo: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk goes on in the tray, so that agents can ask.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit Kandesk, or only put its window away?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Questions can be answered here only while it runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minimise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The demo did not start. Run “kandesk demo” in a terminal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk %1 · store: %2 · listens on %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuestionCard</name>
    <message>
        <source>Choose any number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May be left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuestionTabs</name>
    <message>
        <source>{done} of {total} answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, answered</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueuedRow</name>
    <message>
        <source>Send message %1 next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit message %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move message %1 up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move message %1 down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove message %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of message %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuickChat</name>
    <message>
        <source>Quick Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quick Chats that are kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New Quick Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close Quick Chat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuickChats</name>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept until %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin: keep it seven more days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin: keep it for good</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QuickStart</name>
    <message>
        <source>Starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not known whether this was started. Start tries again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent was found on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A conversation without a project. It is kept for seven days after its last use, or for good once you pin it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask an agent…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>a rule decided it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool&apos;s own setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what may destroy is always asked about</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool&apos;s definition has changed since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it needs your approval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a tool of Kandesk itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was declined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nobody decided in time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it no longer waited for a decision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was not approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was decided already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was carried out already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was being carried out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was approved for another turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it belongs to another card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was approved for another tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its task was closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what was asked for could no longer be verified</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was called with other arguments than approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent did something else than it had asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its arguments could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool is not the one that was approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a newer request replaced it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there was no conversation to ask you in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the key that protects approvals is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only a human may decide it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent offered no fitting answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool took too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what came of it is not known; look for yourself before you allow it again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool&apos;s server did not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool&apos;s result could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool&apos;s result was too large</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tool asked a question nobody could be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the result was held back: it tried to give the agent orders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent had ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it could not be put before you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent stopped waiting before anybody decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent asked again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk ended before anybody decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this agent does not tell what came of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its server was removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what a rule says of it can no longer be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its record cannot be read here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you stopped the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent was told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent took it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the code “%1”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultView</name>
    <message>
        <source>Hide the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide what it said</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what it said</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written by the tool, not by Kandesk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n more character(s) are not shown.</source>
        <translation>
            <numerusform>%n more character is not shown.</numerusform>
            <numerusform>%n more characters are not shown.</numerusform>
        </translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewButtons</name>
    <message>
        <source>Decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 remembers this itself and will not ask again. No rule is made here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 remembers it)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve this once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allow: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow for one day: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other ways to decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decline with a reason…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always decline: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve this once, and run it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allow…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent calls it: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve &amp;&amp; run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewCardWidget</name>
    <message>
        <source>Permission for %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask the agent to try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is to be allowed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewHeader</name>
    <message numerus="yes">
        <source>%n more waiting</source>
        <translation>
            <numerusform>%n more waiting</numerusform>
            <numerusform>%n more waiting</numerusform>
        </translation>
    </message>
    <message>
        <source>in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent says: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk runs it on the server %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewPage</name>
    <message>
        <source>Check your answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not answered yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the answer to: {question}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewStatusText</name>
    <message>
        <source>It is longer than shown. Show all of it and read to its end first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read to its end before you allow it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be remembered. Nothing was decided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not known whether this was taken. Trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewText</name>
    <message numerus="yes">
        <source>⋮ %n blank line(s)</source>
        <translation>
            <numerusform>⋮ %n blank line</numerusform>
            <numerusform>⋮ %n blank lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>⟨%n space(s)⟩</source>
        <translation>
            <numerusform>⟨%n space⟩</numerusform>
            <numerusform>⟨%n spaces⟩</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %n more character(s)</source>
        <translation>
            <numerusform>… %n more character</numerusform>
            <numerusform>… %n more characters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReviewWords</name>
    <message>
        <source>An agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to use a tool of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Declined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved · running…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved · this agent does not tell what came of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by a rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>always declined from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>always allowed from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other arguments than asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expires within a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>expires in %n minute(s)</source>
        <translation>
            <numerusform>expires in %n minute</numerusform>
            <numerusform>expires in %n minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>expires in %n hour(s)</source>
        <translation>
            <numerusform>expires in %n hour</numerusform>
            <numerusform>expires in %n hours</numerusform>
        </translation>
    </message>
    <message>
        <source>You stopped the agent before this was begun. Nothing was run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I did not decide in time, and nothing was run: %1

Please ask again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I stopped you, and nothing was run: %1

Please ask again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To be asked again, tell the agent where it runs to try once more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was approved already. The agent has been told.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was approved, and carried out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was declined already. Nothing was run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped waiting before anybody decided. Nothing was run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody decided in time. Nothing was run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was approved, and failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was approved, and the agent ended before it told what came of it. Look for yourself before you allow it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can no longer be decided here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to run a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to run something</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to change a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to delete a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to move a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to read a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to fetch something from the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to work in another mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants to use a tool</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RuleEnd</name>
    <message>
        <source>Let it end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When this rule ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never; until you revoke it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one hour from now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one day from now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one week from now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RuleFacts</name>
    <message>
        <source>Allow %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refuse %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Active</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never used</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>used %n time(s)</source>
        <translation>
            <numerusform>used %n time</numerusform>
            <numerusform>used %n times</numerusform>
        </translation>
    </message>
    <message>
        <source>last %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, with a verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never; until you revoke it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoked %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RulesPage</name>
    <message>
        <source>Rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you allowed or declined for longer. A rule decides equal calls without asking you, and can be revoked here at any time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No rule yet. “Always allow…” on a request makes one, and it is listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke this rule? Such calls are asked about again. It cannot be restored; what it refused stays refused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke this rule? Such calls are asked about again. It cannot be restored; what it allowed stays done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SecondStep</name>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SecretRows</name>
    <message>
        <source>Add a secret</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the secret</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value of the secret, never shown again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept. Type to replace it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget this secret</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerFacts</name>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It says</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reached as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message>
        <source>Risk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents call it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server says</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another server has this name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use a-z, 0-9, - and single _, beginning and ending with a letter or digit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This name cannot be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This command cannot be run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address begins with http:// or https:// and holds no password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder cannot be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A line is NAME=value, with a name that can be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A secret has a name of its own and is one line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asks: its definition has changed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>A quotation mark is missing its other one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each line is NAME=value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A new secret needs its value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a tool server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change a tool server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Headers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment variables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secret headers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secret environment variables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How it is reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder it runs in (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NAME=value, one on each line (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents may use its tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets are kept in the keyring of this machine and never shown again. New tools ask you before each call.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message>
        <source>Tool servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MCP servers whose tools agents reach through Kandesk. Kandesk runs each call itself, as you say here: allow it, ask you, or deny it. Agents you start see the tools at once; one that runs already may see new ones only once you start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No server yet. Add one, and its tools appear here and in agents you start then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool servers and their tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read its tools again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove %1? Its open requests are cancelled and its secrets forgotten. What it did stays in the record.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionListModel</name>
    <message>
        <source>Quick Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) for you</source>
        <translation>
            <numerusform>%n question for you</numerusform>
            <numerusform>%n questions for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) for you</source>
        <translation>
            <numerusform>%n permission for you</numerusform>
            <numerusform>%n permissions for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n answer(s) not collected</source>
        <translation>
            <numerusform>%n answer not collected</numerusform>
            <numerusform>%n answers not collected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionSidebar</name>
    <message>
        <source>Side pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closed questions and permissions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A session appears here when an agent asks, or when you start one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quick Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StartingPage</name>
    <message>
        <source>Stopping. What is done stays done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is lost if this is interrupted: the next start goes on from here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no room on the disk for a copy of the store: it goes on without one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusBanner</name>
    <message>
        <source>Send as new message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent gets your answer as a new message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusTexts</name>
    <message>
        <source>Sending…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No reply yet: it is not known whether this was taken. Your answer is kept, and trying again is safe.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store was away. Nothing was sent or changed; what you put in is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved, delivery not confirmed. Nothing is lost, and it goes on by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The earlier answer is no longer stored: its call has collected it, or it was discarded. Nothing was sent now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sending your answer as a new message…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent as a new message. The question itself stays unanswered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued as a new message. It is sent when the agent is free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your answer was not sent. It is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This session takes no message now. Your answer was not sent; it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not known whether your answer was sent as a new message. It is kept, and trying again sends it once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An earlier answer to this question was sent as a message. This one was not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your answer was sent again as a new message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved; it is not confirmed that the agent got your answer. If that stays so, you can send it again from the question in the conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}. The question is closed; your answer was not sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}. The question is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This question was skipped elsewhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This question was answered elsewhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answered elsewhere: {answer}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skipped. The agent did not wait, so nothing was sent to it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skipped. The agent has been told.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skipped. The agent will be told when it calls again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delivered. The agent has your answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved. The agent gets your answer when it calls again, or as its next prompt when its turn ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved. The agent gets your answer when it calls again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>Preparing the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting to the database server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copying the store before it changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no room for a copy of the store: going on without one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making room for new kinds of things</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adding new fields</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking every message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbering the messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Building an index: answers stay fast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store is ready</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>Warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying again…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk cannot reach its store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Kandesk uses this store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk cannot use its settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kandesk cannot open its store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StoredAnswerNotice</name>
    <message>
        <source>You answered this {age} for an earlier call. Nothing is sent until you say so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand over that answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard the earlier answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolPolicyBox</name>
    <message>
        <source>Agents&apos; calls of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What happens when an agent calls this tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server defines this tool otherwise than when you set this. It asks until you have read the new definition and confirmed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What may destroy is asked about every time, or denied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep “%1” for the new definition</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To-do list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A row of the kind “%1”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what stands before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer as new message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send again as new message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent then told of other arguments than it had asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What its program wrote last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decided %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result, written by the tool and not checked by anybody:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%n more character(s) are not shown.</source>
        <translation type="unfinished">%n more character is not shown.</translation>
    </message>
    <message>
        <source>What came with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A part was too long to be kept and is not shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing changed in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Given to the tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not sent: taken back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not known whether the agent has it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped: it has reached its limit of tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped: it has made as many requests as it may.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent refused to go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent stopped: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent ended unexpectedly. Resuming starts it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interrupted: the desk ended while the agent worked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interrupted: the desk ended while the agent waited for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent answered with an error: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A process of the last run was still there and was ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The desk ended while this was sent. Whether the agent has it is not known; it is not sent again by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not confirmed that the agent got your answer: nothing was heard from it afterwards. The question offers to send it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A form of the agent cannot be shown and was declined.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The form of the agent does not take this answer; it is asked again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent does not take a mode or an option that was chosen, and works with its own.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptModel</name>
    <message>
        <source>Enter opens or closes it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n question(s) waiting for you</source>
        <translation>
            <numerusform>%n question waiting for you</numerusform>
            <numerusform>%n questions waiting for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) waiting for you</source>
        <translation>
            <numerusform>%n permission waiting for you</numerusform>
            <numerusform>%n permissions waiting for you</numerusform>
        </translation>
    </message>
    <message>
        <source>Open Kandesk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TroubleBar</name>
    <message>
        <source>Your message was not sent; it waits until the agent runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take message back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the trouble</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>UsageTexts</name>
    <message>
        <source>Context: %1 % of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Every question of your agents, in one place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Coding agents stop and ask. Their questions wait here for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer when you are ready. A question waits as long as it takes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No answer is lost, given twice, or given by accident.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A built-in agent shows all that can wait here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New session…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start an agent of this machine and talk to it here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run this once in a terminal. It adds Kandesk to the agent&apos;s own settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any other agent: an MCP server with this command,</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or this address, with the token in %1:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Waiting for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not answered in time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent moved on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn by you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn by the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn: asked again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Withdrawn: the session ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being handed over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delivered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>saved, waiting for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>discarded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replaced by a newer answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>saved, delivery not confirmed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Could not start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended unexpectedly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for your permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unnamed agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Handle</name>
    <message>
        <source>Height of the question</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
